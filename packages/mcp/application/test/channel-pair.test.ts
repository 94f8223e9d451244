import { channelPair } from '@cleveragents/mcp-application';
import type { JsonRpcMessage } from '@cleveragents/mcp-domain';
import { messageChannelContract, type MessageChannelSubject } from '@cleveragents/mcp-ports/contract';
import { runContract } from '@cleveragents/shared-testing';
import { Inbox } from './inbox.ts';

runContract(messageChannelContract, {
  open: async (): Promise<MessageChannelSubject> => {
    const [channel, other] = channelPair();
    const inbox = new Inbox();
    await other.start(inbox);
    return {
      channel,
      peer: {
        send: (message: JsonRpcMessage) => other.send(message),
        next: () => inbox.next(),
        hangUp: () => other.close(),
      },
    };
  },
});
