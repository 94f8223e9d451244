/**
 * The program of the worker that runs expressions. Text, because a worker needs a file of its own or its source, and this
 * works alike from sources, from a build and from a bundle of one file. It decodes as `searchableText` does, and answers
 * positions; what is shown of them is made by the caller.
 */
export const EXPRESSION_WORKER_SOURCE = `
'use strict';
const { parentPort } = require('node:worker_threads');

function decode(bytes) {
  const mark = bytes.length > 1 ? bytes[0] * 256 + bytes[1] : 0;
  return new TextDecoder(mark === 0xfffe ? 'utf-16le' : mark === 0xfeff ? 'utf-16be' : 'utf-8').decode(bytes);
}

function hitsIn(text, expression, most) {
  const hits = [];
  for (let line = 1, start = 0; start < text.length && hits.length < most * 4; line++) {
    const feed = text.indexOf('\\n', start);
    const end = feed < 0 ? text.length : feed;
    const lineEnd = end > start && text.charCodeAt(end - 1) === 13 ? end - 1 : end;
    const match = expression.exec(text.slice(start, lineEnd));
    if (match !== null) hits.push(line, start, lineEnd, start + match.index);
    start = end + 1;
  }
  return hits;
}

parentPort.on('message', ({ source, flags, buffer, ends, most }) => {
  const expression = new RegExp(source, flags);
  const results = [];
  let start = 0;
  let left = most;
  for (const end of ends) {
    const hits = left > 0 ? hitsIn(decode(new Uint8Array(buffer, start, end - start)), expression, left) : [];
    left -= hits.length / 4;
    results.push(hits);
    start = end;
  }
  parentPort.postMessage({ buffer, results }, [buffer]);
});
`;
