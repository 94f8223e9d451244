import {
  closeSync,
  mkdirSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { temporaryFolder } from '@cleveragents/shared-testing/real-git';
import { FileExchange, type FileStep } from '../src/file-exchange.ts';
import { hashBlob } from '../src/stored-object.ts';
import { pictureOf } from './support/picture.ts';

let folder: string;
let workTree: string;
let exchange: FileExchange;

const leaf = (text: string) => ({ mode: '100644' as const, id: hashBlob(Buffer.from(text)) });
const step: FileStep = { number: 0, path: 'file', take: leaf('old\n'), put: leaf('new\n') };

beforeEach(() => {
  folder = temporaryFolder();
  workTree = join(folder, 'work');
  mkdirSync(workTree);
  mkdirSync(join(folder, 'staging'));
  writeFileSync(join(workTree, 'file'), 'old\n');
  exchange = new FileExchange({ workTree, staging: join(folder, 'staging'), trustsFileMode: true });
  exchange.prepare(step, Buffer.from('new\n'));
});

describe('an editor that has the file open and writes to it after it was set aside', () => {
  it('is noticed, also within one tick of the clock, and gets its very file back', () => {
    const editor = openSync(join(workTree, 'file'), 'r+');
    const { ino } = statSync(join(workTree, 'file'));
    exchange.take(step);
    exchange.put(step, null);
    expect(exchange.findLateWrites([step])).toEqual([]);
    writeSync(editor, 'OLD\n', 0);
    expect(exchange.findLateWrites([step])).toEqual(['file']);
    expect(exchange.withdraw(step)).toBe(true);
    expect(exchange.giveBack(step)).toBe(true);
    writeSync(editor, 'mine', 0);
    closeSync(editor);
    expect(readFileSync(join(workTree, 'file'), 'utf8')).toBe('mine');
    expect(statSync(join(workTree, 'file'))).toMatchObject({ ino, nlink: 1 });
  });

  it('does not lose what it wrote when the exchange is over already', () => {
    const editor = openSync(join(workTree, 'file'), 'r+');
    exchange.take(step);
    exchange.put(step, null);
    writeSync(editor, 'OLD\n', 0);
    closeSync(editor);
    expect(exchange.drop(step)).toBe('file~saved');
    expect(readFileSync(join(workTree, 'file'), 'utf8')).toBe('new\n');
    expect(readFileSync(join(workTree, 'file~saved'), 'utf8')).toBe('OLD\n');
  });
});

describe('taking an exchange back', () => {
  it('keeps what somebody put in the place of the new file', () => {
    exchange.take(step);
    exchange.put(step, null);
    rmSync(join(workTree, 'file'));
    writeFileSync(join(workTree, 'file'), 'mine\n');
    expect(exchange.withdraw(step)).toBe(false);
    expect(exchange.giveBack(step)).toBe(false);
    expect(readFileSync(join(workTree, 'file'), 'utf8')).toBe('mine\n');
    expect(Object.keys(pictureOf(workTree))).toEqual(['file']);
  });

  it('leaves a file alone that was never taken', () => {
    writeFileSync(join(workTree, 'file'), 'new\n');
    expect(exchange.withdraw(step)).toBe(true);
    expect(exchange.giveBack(step)).toBe(true);
    expect(readFileSync(join(workTree, 'file'), 'utf8')).toBe('new\n');
  });

  it('works from what lies on the disk, for a process that knows nothing of it', () => {
    exchange.take(step);
    exchange.put(step, null);
    exchange.settle(step);
    const other = new FileExchange({ workTree, staging: join(folder, 'staging'), trustsFileMode: true });
    expect(other.withdraw(step)).toBe(true);
    expect(other.giveBack(step)).toBe(true);
    expect(readFileSync(join(workTree, 'file'), 'utf8')).toBe('old\n');
  });

  it('brings back what was set aside for a look and turned out to be somebody else’s', () => {
    exchange.take(step);
    exchange.put(step, null);
    exchange.settle(step);
    writeFileSync(join(workTree, 'file'), 'mine\n');
    const other = new FileExchange({ workTree, staging: join(folder, 'staging'), trustsFileMode: true });
    expect(other.withdraw(step)).toBe(false);
    expect(readFileSync(join(workTree, 'file'), 'utf8')).toBe('mine\n');
  });
});

describe('a file that came into the way', () => {
  it('stays where it is, and what was taken comes back beside it when it is not what it was', () => {
    writeFileSync(join(workTree, 'file'), 'edited\n');
    expect(() => exchange.take(step)).toThrow(expect.objectContaining({ code: 'GIT_TARGET_CHANGED' }));
    expect(readFileSync(join(workTree, 'file'), 'utf8')).toBe('edited\n');
  });
});
