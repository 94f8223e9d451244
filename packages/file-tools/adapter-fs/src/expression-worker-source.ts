/**
 * The program of the worker that runs expressions. Text, because a worker needs a file of its own or its source, and this
 * works alike from sources, from a build and from a bundle of one file. It decodes as `searchableText` does, and answers
 * positions; what is shown of them is made by the caller.
 */
export const EXPRESSION_WORKER_SOURCE = `
'use strict';
const { isAscii } = require('node:buffer');
const { parentPort } = require('node:worker_threads');

const decoders = new Map(['utf-8', 'utf-16le', 'utf-16be'].map((name) => [name, new TextDecoder(name)]));
const FEED = '\\n';

function decode(bytes) {
  if (isAscii(bytes)) return bytes.latin1Slice();
  const mark = bytes.length > 1 ? bytes[0] * 256 + bytes[1] : 0;
  return decoders.get(mark === 0xfffe ? 'utf-16le' : mark === 0xfeff ? 'utf-16be' : 'utf-8').decode(bytes);
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
    this.numbers.push(this.line, start, end, match);
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

parentPort.on('message', ({ plan, buffer, ends, most }) => {
  const compiled = { ...plan, expression: compile(plan.expression), wholeText: compile(plan.wholeText) };
  const results = new Map();
  let [start, left] = [0, most];
  for (let file = 0; file < ends.length && left > 0; file++) {
    const numbers = search(decode(Buffer.from(buffer, start, ends[file] - start)), compiled, left);
    left -= numbers.length / 4;
    if (numbers.length > 0) results.set(file, numbers);
    start = ends[file];
  }
  parentPort.postMessage({ buffer, results }, [buffer]);
});
`;
