import { PassThrough } from 'node:stream';
import { describe } from '@jest/globals';
import { ChildProcessChannel, StreamMessageChannel } from '@cleveragents/mcp-adapter-sdk';
import { messageChannelContract, type MessageChannelSubject } from '@cleveragents/mcp-ports/contract';
import { runContract } from '@cleveragents/shared-testing';
import { Inbox } from './support/inbox.ts';
import { type RemoteChild, remoteChild } from './support/remote-child.ts';

describe('over two streams', () => {
  runContract(messageChannelContract, {
    open: async (): Promise<MessageChannelSubject> => {
      const there = new PassThrough();
      const back = new PassThrough();
      const other = new StreamMessageChannel({ input: there, output: back });
      const inbox = new Inbox();
      await other.start(inbox);
      return {
        channel: new StreamMessageChannel({ input: back, output: there }),
        peer: {
          send: (message) => other.send(message),
          next: () => inbox.next(),
          hangUp: () => other.close(),
        },
      };
    },
  });
});

describe('to a child process', () => {
  const children = new WeakMap<MessageChannelSubject, RemoteChild>();
  runContract(messageChannelContract, {
    open: async (): Promise<MessageChannelSubject> => {
      const child = await remoteChild();
      const subject = { channel: new ChildProcessChannel({ command: child.command }), peer: child };
      children.set(subject, child);
      return subject;
    },
    close: async (subject) => {
      await subject.channel.close();
      children.get(subject)?.remove();
    },
  });
});
