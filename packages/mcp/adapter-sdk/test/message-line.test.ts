import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { JsonRpcMessage } from '@cleveragents/mcp-domain';
import { lineOf, LineSplitter, messagesOf } from '../src/message-line.ts';

const message = fc
  .record({ text: fc.string({ unit: 'binary' }), value: fc.jsonValue() })
  .map((params): JsonRpcMessage => ({ jsonrpc: '2.0', method: 'x', params }));

/** The bytes in pieces, cut anywhere: also within a character. */
function pieces(bytes: Buffer, cuts: readonly number[]): readonly Buffer[] {
  const places = [...new Set(cuts.map((cut) => cut % (bytes.length + 1)))].sort((a, b) => a - b);
  return [...places, bytes.length].map((end, index) => bytes.subarray(places[index - 1] ?? 0, end));
}

it('reads the messages that were written, wherever their bytes are cut', () => {
  fc.assert(
    fc.property(fc.array(message), fc.array(fc.nat()), (messages, cuts) => {
      const bytes = Buffer.from(messages.map(lineOf).join(''));
      const splitter = new LineSplitter(bytes.length + 1);
      const lines = pieces(bytes, cuts).flatMap((piece) => splitter.take(piece));
      const plain = JSON.parse(JSON.stringify(messages)) as unknown;
      expect(lines.flatMap(messagesOf)).toEqual(plain);
      expect(splitter.rest()).toHaveLength(0);
    }),
  );
});
