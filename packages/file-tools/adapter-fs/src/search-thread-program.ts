import { LENT_FILE_PROGRAM } from '@cleveragents/shared-adapter-fs';

/**
 * The program of the threads that search. Text, because a thread needs a file of its own or its source, and this works alike
 * from sources, from a build and from a bundle of one file. It reads the files that a walk lent, tells which need no look,
 * and runs the expression, if there is one, over the others. It takes for binary what `looksBinary` does, decodes as
 * `searchableText` does, and answers bytes and places; what is shown of them is made by the caller.
 */
export const SEARCH_THREAD_PROGRAM = `${LENT_FILE_PROGRAM}
const { isAscii } = require('node:buffer');
const { parentPort } = require('node:worker_threads');

const decoders = new Map(['utf-8', 'utf-16le', 'utf-16be'].map((name) => [name, new TextDecoder(name)]));
const lineDecoder = new TextDecoder('utf-8', { ignoreBOM: true });
const FEED = '\\n';
const BINARY_WINDOW_BYTES = 8192;
const MOST_BYTES_OF_AN_ANSWER = 4 * 1024 * 1024;

/** By the mark at the beginning. */
function encodingOf(bytes) {
  const mark = bytes.length > 1 ? bytes[0] * 256 + bytes[1] : 0;
  return mark === 0xfffe ? 'utf-16le' : mark === 0xfeff ? 'utf-16be' : 'utf-8';
}

/** What is found in one text: four numbers a line. */
class Hits {
  constructor(text, most) {
    this.text = text;
    this.most = most * 4;
    this.numbers = [];
    this.line = 1;
    this.counted = 0;
  }

  get isFull() {
    return this.numbers.length >= this.most;
  }

  startOf(position) {
    return position === 0 ? 0 : this.text.lastIndexOf(FEED, position - 1) + 1;
  }

  endOf(position) {
    const feed = this.text.indexOf(FEED, position);
    return feed < 0 ? this.text.length : feed;
  }

  withoutReturn(start, end) {
    return end > start && this.text.charCodeAt(end - 1) === 13 ? end - 1 : end;
  }

  add(start, end, match) {
    for (let at = this.text.indexOf(FEED, this.counted); at >= 0 && at < start; at = this.text.indexOf(FEED, at + 1))
      this.line++;
    this.counted = start;
    this.numbers.push(this.line, start, end, match - start);
  }
}

function tryLine(hits, expression, start, feed) {
  const end = hits.withoutReturn(start, feed);
  const match = expression.exec(hits.text.slice(start, end));
  if (match !== null) hits.add(start, end, start + match.index);
}

function tryEachLine(hits, expression) {
  for (let start = 0; start < hits.text.length && !hits.isFull;) {
    const feed = hits.endOf(start);
    tryLine(hits, expression, start, feed);
    start = feed + 1;
  }
}

function tryLinesWith(literal, hits, expression) {
  for (let from = 0; !hits.isFull;) {
    const found = hits.text.indexOf(literal, from);
    if (found < 0) return;
    const feed = hits.endOf(found);
    tryLine(hits, expression, hits.startOf(found), feed);
    from = feed + 1;
  }
}

function tryWholeText(hits, expression) {
  const { text } = hits;
  const end = text.endsWith(FEED) ? text.length - 1 : text.length;
  expression.lastIndex = 0;
  while (!hits.isFull) {
    const match = expression.exec(text);
    if (match === null || match.index > end || text === '') return;
    const feed = hits.endOf(match.index);
    hits.add(hits.startOf(match.index), feed, match.index);
    if (feed === text.length) return;
    expression.lastIndex = feed + 1;
  }
}

const hasOtherEnds = (text) => text.includes('\\r') || text.includes('\\u2028') || text.includes('\\u2029');

function search(text, plan, most) {
  const hits = new Hits(text, most);
  if (plan.literal !== undefined) tryLinesWith(plan.literal, hits, plan.expression);
  else if (plan.wholeText === undefined || hasOtherEnds(text)) tryEachLine(hits, plan.expression);
  else tryWholeText(hits, plan.wholeText);
  return hits.numbers;
}

const compile = (expression) => expression && new RegExp(expression.source, expression.flags);

const startOfLine = (bytes, position) => (position === 0 ? 0 : bytes.lastIndexOf(10, position - 1) + 1);

function endOfLine(bytes, position) {
  const feed = bytes.indexOf(10, position);
  return feed < 0 ? bytes.length : feed;
}

/** In front of a match in a large file this is most of the work, so it goes by four bytes at a time. */
function lineFeedsIn(bytes, from, to) {
  const wordsFrom = Math.min(to, from + ((4 - ((bytes.byteOffset + from) % 4)) % 4));
  const words = wordsFrom === to ? [] : new Int32Array(bytes.buffer, bytes.byteOffset + wordsFrom, (to - wordsFrom) >> 2);
  let count = 0;
  for (let index = from; index < wordsFrom; index++) if (bytes[index] === 10) count++;
  for (let index = 0; index < words.length; index++) {
    const word = words[index] ^ 0x0a0a0a0a;
    const zeroes = ~(((word & 0x7f7f7f7f) + 0x7f7f7f7f) | word | 0x7f7f7f7f);
    if (zeroes !== 0) count += Math.imul(zeroes >>> 7, 0x01010101) >>> 24;
  }
  for (let index = wordsFrom + words.length * 4; index < to; index++) if (bytes[index] === 10) count++;
  return count;
}

/** In bytes of UTF-8, of which no more is decoded than the lines that hold the literal. */
function searchBytes(bytes, needle, expression, most) {
  const numbers = [];
  let [line, counted] = [1, 0];
  for (let from = 0; numbers.length < most * 4 && from < bytes.length; ) {
    const found = bytes.indexOf(needle, from);
    if (found < 0) break;
    const start = startOfLine(bytes, found);
    const feed = endOfLine(bytes, found);
    const end = feed > start && bytes[feed - 1] === 13 ? feed - 1 : feed;
    const match = expression.exec(decodeLine(bytes.subarray(start, end)));
    if (match !== null) {
      line += lineFeedsIn(bytes, counted, start);
      counted = start;
      numbers.push(line, start, end, match.index);
    }
    from = feed + 1;
  }
  return numbers;
}

function decodeLine(bytes) {
  return isAscii(bytes) ? bytes.latin1Slice() : lineDecoder.decode(bytes);
}

function withoutMark(bytes) {
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? bytes.subarray(3) : bytes;
}

/** The lines that are shown, of which the numbers then speak. */
function shownOf(bytes, numbers, context) {
  let start = numbers[1];
  for (let lines = 0; lines < context && start > 0; lines++) start = startOfLine(bytes, start - 1);
  let end = endOfLine(bytes, numbers[numbers.length - 2]);
  for (let lines = 0; lines < context && end < bytes.length; lines++) end = endOfLine(bytes, end + 1);
  for (let index = 0; index < numbers.length; index += 4) {
    numbers[index + 1] -= start;
    numbers[index + 2] -= start;
  }
  return Uint8Array.prototype.slice.call(bytes, start, end);
}

/** One batch of files: what is in them is told until there is enough. */
class Batch {
  constructor({ plan, files, contents, maxFileBytes, context, most }) {
    this.plan = { ...plan, expression: compile(plan.expression), wholeText: compile(plan.wholeText) };
    this.needle = plan.literal && Buffer.from(plan.literal);
    this.files = files.split('\\0');
    this.contents = contents;
    this.maxFileBytes = maxFileBytes;
    this.context = context;
    this.left = most;
    this.bytes = 0;
    this.skipped = [];
    this.found = [];
  }

  run() {
    let done = 0;
    for (; done < this.files.length && this.left > 0 && this.bytes < MOST_BYTES_OF_AN_ANSWER; done++)
      this.look(done, this.bytesOf(this.files[done]));
    return { done, skipped: this.skipped, found: this.found, contents: this.contents };
  }

  bytesOf(file) {
    if (file === '') return undefined;
    if (file.startsWith('/')) return readLent(file, this.maxFileBytes + 1);
    const [start, end] = file.split('-').map(Number);
    return Buffer.from(this.contents, start, end - start);
  }

  look(index, bytes) {
    if (bytes === undefined || bytes.length > this.maxFileBytes) {
      this.skipped.push(index);
      return;
    }
    const encoding = encodingOf(bytes);
    if (encoding !== 'utf-8') this.searchText(index, bytes, encoding);
    else if (bytes.subarray(0, BINARY_WINDOW_BYTES).includes(0)) this.skipped.push(index);
    else if (this.needle !== undefined) this.searchBytes(index, withoutMark(bytes));
    else if (isAscii(bytes)) this.add(index, bytes, search(bytes.latin1Slice(), this.plan, this.left), true);
    else this.searchText(index, bytes, encoding);
  }

  searchText(index, bytes, encoding) {
    this.add(index, bytes, search(decoders.get(encoding).decode(bytes), this.plan, this.left), false);
  }

  searchBytes(index, bytes) {
    this.add(index, bytes, searchBytes(bytes, this.needle, this.plan.expression, this.left), true);
  }

  add(index, bytes, numbers, areBytes) {
    if (numbers.length === 0) return;
    this.left -= numbers.length / 4;
    const shown = areBytes ? shownOf(bytes, numbers, this.context) : Uint8Array.prototype.slice.call(bytes);
    this.bytes += shown.length;
    this.found.push({ index, bytes: shown, numbers, areBytes });
  }
}

parentPort.on('message', (order) => {
  const answer = new Batch(order).run();
  const moved = answer.found.map(({ bytes }) => bytes.buffer);
  if (answer.contents !== undefined) moved.push(answer.contents);
  parentPort.postMessage(answer, moved);
});
`;
