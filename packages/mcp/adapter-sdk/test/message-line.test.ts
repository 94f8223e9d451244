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

it('passes whole numbers of any length as they are, wherever they stand', () => {
  const lines = [
    '{"jsonrpc":"2.0","id":9007199254740993,"method":"x","params":{"n":-18446744073709551615,"m":[12345678901234567890]}}',
    '{"jsonrpc":"2.0","method":"x","params":{"9007199254740993":"9007199254740993","s":"\\\\\\" 9007199254740993,"}}',
    '{"jsonrpc":"2.0","id":"a","result":{"hash":"1234567890123456789012345678901234567890","n":9007199254740991}}',
    '{"jsonrpc":"2.0","method":"x","params":{"n":9007199254740993}}',
  ];
  for (const line of lines) expect(messagesOf(Buffer.from(line)).map(lineOf)).toEqual([`${line}\n`]);
});

it('rounds none but whole numbers, and takes no string for one', () => {
  const number = fc.bigInt({ min: -(2n ** 80n), max: 2n ** 80n }).map(String);
  const string = fc.string({ unit: fc.constantFrom('"', '\\', '1234567890123456789', '\0', ':', ',', '-') });
  const value = fc.oneof(
    number,
    string.map((text) => JSON.stringify(text)),
  );
  fc.assert(
    fc.property(fc.array(value), (values) => {
      const line = `{"jsonrpc":"2.0","method":"x","params":[${values.join(',')}]}`;
      expect(messagesOf(Buffer.from(line)).map(lineOf)).toEqual([`${line}\n`]);
    }),
  );
});
