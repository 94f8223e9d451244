import { expect, it } from '@jest/globals';
import { channelPair } from '@cleveragents/mcp-application';
import type { JsonRpcMessage } from '@cleveragents/mcp-domain';
import type { ChannelListener, MessageChannel } from '@cleveragents/mcp-ports';
import { messageChannelContract } from '@cleveragents/mcp-ports/contract';
import { Inbox } from './inbox.ts';

/** A channel with one fault: `change` gets the sound channel and answers what is different. */
function faulty(
  change: (sound: MessageChannel) => Partial<MessageChannel>,
  sound: MessageChannel,
): MessageChannel {
  return {
    start: (listener) => sound.start(listener),
    send: (message) => sound.send(message),
    close: () => sound.close(),
    ...change(sound),
  };
}

/** Wraps what a channel tells. */
const telling =
  (wrap: (listener: ChannelListener) => ChannelListener) =>
  (sound: MessageChannel): Partial<MessageChannel> => ({ start: (listener) => sound.start(wrap(listener)) });

function holdingBack(sound: MessageChannel): Partial<MessageChannel> {
  let held: JsonRpcMessage | undefined;
  return {
    send: async (message) => {
      if (held === undefined) held = message;
      else {
        await sound.send(message);
        await sound.send(held);
        held = undefined;
      }
    },
  };
}

const FAULTS: readonly (readonly [
  fault: string,
  rule: string,
  change: (sound: MessageChannel) => Partial<MessageChannel>,
])[] = [
  [
    'rounds numbers',
    'delivers what the other side sends, whole and in order',
    telling((listener) => ({
      onMessage: (message) =>
        listener.onMessage(JSON.parse(JSON.stringify(message).replace('1e+21', '1')) as JsonRpcMessage),
      onClosed: () => listener.onClosed(),
    })),
  ],
  ['sends in another order', 'sends whole and in order, also when nobody waits in between', holdingBack],
  [
    'tells its end twice',
    'tells once that it was closed, however often',
    telling((listener) => ({
      onMessage: (message) => listener.onMessage(message),
      onClosed: () => {
        listener.onClosed();
        listener.onClosed();
      },
    })),
  ],
  [
    'swallows what is sent after the end',
    'refuses to send once it is closed',
    (sound) => ({ send: (message) => sound.send(message).catch(() => undefined) }),
  ],
];

it.each(FAULTS)('a channel that %s is found out: %s', async (_fault, rule, change) => {
  const contractCase = messageChannelContract.cases.find(({ name }) => name === rule);
  const [sound, other] = channelPair();
  const inbox = new Inbox();
  await other.start(inbox);
  const peer = {
    send: (message: JsonRpcMessage) => other.send(message),
    next: () => inbox.next(),
    hangUp: () => other.close(),
  };
  await expect(contractCase?.run({ channel: faulty(change, sound), peer })).rejects.toThrow();
});
