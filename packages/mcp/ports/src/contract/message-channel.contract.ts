import assert from 'node:assert/strict';
import type { JsonRpcMessage } from '@cleveragents/mcp-domain';
import type { Contract } from '@cleveragents/shared-kernel';
import { hasCode } from '@cleveragents/shared-kernel';
import type { MessageChannelError } from '../message-channel.errors.ts';
import type { MessageChannel } from '../message-channel.ts';

/** The other side, however it is made. */
export interface ChannelPeer {
  /** Sends a message to the channel under test. */
  send(message: JsonRpcMessage): Promise<void>;
  /** The next message that came from the channel under test; waits for it. */
  next(): Promise<JsonRpcMessage>;
  /** Goes away in good order. */
  hangUp(): Promise<void>;
}

export interface MessageChannelSubject {
  /** Connected to `peer`, not started. */
  readonly channel: MessageChannel;
  readonly peer: ChannelPeer;
}

const note = (number: number, params: unknown = {}): JsonRpcMessage => ({
  jsonrpc: '2.0',
  method: `notifications/${number}`,
  params,
});

const AWKWARD: readonly JsonRpcMessage[] = [
  { jsonrpc: '2.0', id: 0, method: 'ping' },
  { jsonrpc: '2.0', id: '0', method: 'a/b', params: {} },
  { jsonrpc: '2.0', id: '', result: {} },
  { jsonrpc: '2.0', id: -1, error: { code: -32_600, message: 'no\n\r\u2028\0"\\', data: null } },
  note(1, { text: 'naïve 目录 \u{1f600}', empty: '', nested: [[[{}]]], number: 1e21, no: false }),
  note(2, JSON.parse('{"__proto__":{"a":1},"constructor":2}')),
  note(3, { text: 'x'.repeat(1_000_000) }),
];

/** Everything that a channel tells, and a way to wait for it. */
class Recorder {
  readonly messages: JsonRpcMessage[] = [];
  readonly ends: (MessageChannelError | undefined)[] = [];
  #wake: () => void = () => undefined;

  onMessage(message: JsonRpcMessage): void {
    assert.deepEqual(this.ends, [], 'a message after the end');
    this.messages.push(message);
    this.#wake();
  }

  onClosed(error?: MessageChannelError): void {
    this.ends.push(error);
    this.#wake();
  }

  async until(met: () => boolean): Promise<void> {
    while (!met())
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
  }
}

async function started({ channel }: MessageChannelSubject): Promise<Recorder> {
  const recorder = new Recorder();
  await channel.start(recorder);
  return recorder;
}

const isClosedError = (error: unknown): boolean => hasCode(error, 'MCP_CHANNEL_CLOSED');

export const messageChannelContract: Contract<MessageChannelSubject> = {
  name: 'MessageChannel',
  cases: [
    {
      name: 'delivers what the other side sends, whole and in order',
      run: async (subject) => {
        const recorder = await started(subject);
        for (const message of AWKWARD) await subject.peer.send(message);
        await recorder.until(() => recorder.messages.length === AWKWARD.length);
        assert.deepEqual(recorder.messages, AWKWARD);
        await subject.channel.close();
      },
    },
    {
      name: 'delivers what was sent before it was started',
      run: async (subject) => {
        await subject.peer.send(note(1));
        const recorder = await started(subject);
        await recorder.until(() => recorder.messages.length === 1);
        assert.deepEqual(recorder.messages, [note(1)]);
        await subject.channel.close();
      },
    },
    {
      name: 'sends whole and in order, also when nobody waits in between',
      run: async (subject) => {
        await started(subject);
        const sent = AWKWARD.map((message) => subject.channel.send(message));
        for (const message of AWKWARD) assert.deepEqual(await subject.peer.next(), message);
        await Promise.all(sent);
        await subject.channel.close();
      },
    },
    {
      name: 'carries both ways at once',
      run: async (subject) => {
        const recorder = await started(subject);
        const numbers = Array.from({ length: 200 }, (_, index) => index);
        const both = numbers.flatMap((number) => [
          subject.channel.send(note(number)),
          subject.peer.send(note(number)),
        ]);
        for (const number of numbers) assert.deepEqual(await subject.peer.next(), note(number));
        await recorder.until(() => recorder.messages.length === numbers.length);
        assert.deepEqual(
          recorder.messages,
          numbers.map((number) => note(number)),
        );
        await Promise.all(both);
        await subject.channel.close();
      },
    },
    {
      name: 'lets what was sent arrive before it closes',
      run: async (subject) => {
        await started(subject);
        const sent = [subject.channel.send(note(1)), subject.channel.send(note(2))];
        const closed = subject.channel.close();
        assert.deepEqual([await subject.peer.next(), await subject.peer.next()], [note(1), note(2)]);
        await Promise.all([...sent, closed]);
      },
    },
    {
      name: 'tells once that it was closed, however often',
      run: async (subject) => {
        const recorder = await started(subject);
        await Promise.all([subject.channel.close(), subject.channel.close()]);
        await subject.channel.close();
        assert.deepEqual(recorder.ends, [undefined]);
      },
    },
    {
      name: 'refuses to send once it is closed',
      run: async (subject) => {
        await started(subject);
        await subject.channel.close();
        await assert.rejects(subject.channel.send(note(1)), isClosedError);
      },
    },
    {
      name: 'tells once that the other side has gone, after its last message, and refuses to send',
      run: async (subject) => {
        const recorder = await started(subject);
        await subject.peer.send(note(1));
        await subject.peer.hangUp();
        await recorder.until(() => recorder.ends.length > 0);
        assert.deepEqual(recorder.messages, [note(1)]);
        assert.deepEqual(recorder.ends, [undefined]);
        await assert.rejects(subject.channel.send(note(2)), isClosedError);
        await subject.channel.close();
        assert.equal(recorder.ends.length, 1);
      },
    },
  ],
};
