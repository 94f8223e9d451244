/**
 * The beginning of a program for another thread, as CommonJS: `readLent(address, maxBytes)` gives there what
 * `WalkEntry.read` gives here, for a file that was lent. Text, because a thread needs a file of its own or its source, and
 * this works alike from sources, from a build and from a bundle of one file. Declares the names of `node:fs` that it uses.
 */
export const LENT_FILE_PROGRAM = `
'use strict';
const { closeSync, constants, fstatSync, openSync, readSync } = require('node:fs');

/** A link is no file of the directory; nothing is waited for. */
const READING = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
const ROOM_BYTES = 64 * 1024;
const KEPT_ROOM_BYTES = 4 * 1024 * 1024;
let room = Buffer.allocUnsafeSlow(ROOM_BYTES);

/** Until the next call. */
function readLent(address, maxBytes) {
  let descriptor;
  try {
    descriptor = openSync(address, READING);
  } catch {
    return undefined;
  }
  try {
    const stats = fstatSync(descriptor);
    if (!stats.isFile()) return undefined;
    const length = fill(descriptor, maxBytes, stats.size);
    return room.subarray(0, length);
  } catch {
    return undefined;
  } finally {
    closeSync(descriptor);
  }
}

function fill(descriptor, maxBytes, expected) {
  if (room.length > KEPT_ROOM_BYTES) room = Buffer.allocUnsafeSlow(ROOM_BYTES);
  makeRoom(0, Math.min(expected, maxBytes));
  for (let length = 0; ;) {
    const free = Math.min(room.length, maxBytes) - length;
    const count = free === 0 ? 0 : readSync(descriptor, room, length, free, null);
    length += count;
    if (length >= maxBytes) return length;
    if (count > 0 ? length === expected : free > 0) return length;
    makeRoom(length, length + 1);
  }
}

function makeRoom(length, needed) {
  if (needed <= room.length) return;
  const larger = Buffer.allocUnsafeSlow(Math.max(room.length * 2, needed));
  room.copy(larger, 0, 0, length);
  room = larger;
}
`;
