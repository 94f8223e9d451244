import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { randomNumbers } from './random.ts';

const WORDS =
  'const function return import export class interface value index result error handler request response buffer stream config option async await promise string number boolean array object map filter reduce user token session agent worktree commit branch merge checkpoint sandbox file path directory entry query search render update delete create insert select table column row cache store state action'.split(
    ' ',
  );
const EXTENSIONS = ['ts', 'ts', 'ts', 'js', 'json', 'md'];
const FILES_IN_A_FOLDER = 12;
const DEEPEST = 7;
const SEED = 12_345;
const POOL_BYTES = 6 * 2 ** 20;
const SMALL_BYTES = 50_000;

/**
 * Writes `count` files below `root`, always the same: sizes and depths as in a project of that size, mostly 1-8 KiB, some
 * 100 KiB, few MiB.
 */
export function writeGeneratedFiles(root: string, count: number): void {
  const random = randomNumbers(SEED);
  const pick = <Item>(items: readonly Item[]): Item => {
    const item = items[Math.floor(random() * items.length)];
    if (item === undefined) throw new Error('nothing to pick from');
    return item;
  };
  const text = textMaker(random, pick);
  const pool = text(POOL_BYTES);
  const folders = folderNames(Math.ceil(count / FILES_IN_A_FOLDER), random, pick);
  for (const folder of folders) mkdirSync(join(root, folder), { recursive: true });
  for (let index = 0; index < count; index++) {
    const size = fileSize(random);
    const start = Math.floor(random() * (pool.length - size));
    const body = size < SMALL_BYTES ? text(size) : `// ${index}\n${pool.slice(start, start + size)}`;
    writeFileSync(join(root, pick(folders), `${pick(WORDS)}${index}.${pick(EXTENSIONS)}`), body);
  }
}

type Pick = <Item>(items: readonly Item[]) => Item;

function fileSize(random: () => number): number {
  const kind = random();
  if (kind < 0.985) return 400 + Math.floor(random() ** 1.6 * 8_000);
  if (kind < 0.9993) return 60_000 + Math.floor(random() * 80_000);
  return 1_000_000 + Math.floor(random() * 4_000_000);
}

function folderNames(count: number, random: () => number, pick: Pick): readonly string[] {
  const folders = ['src'];
  while (folders.length < count) {
    const parent = folders[Math.floor(random() ** 0.7 * folders.length)] ?? 'src';
    if (parent.split('/').length <= DEEPEST) folders.push(`${parent}/${pick(WORDS)}-${folders.length}`);
  }
  return folders;
}

function textMaker(random: () => number, pick: Pick): (size: number) => string {
  const word = (): string => {
    const number = random() < 0.15 ? String(Math.floor(random() * 1e5)) : '';
    return `${pick(WORDS)}${number}${random() < 0.2 ? '(' : ' '}`;
  };
  const line = (): string => {
    const length = 4 + Math.floor(random() * 9);
    return `${'  '.repeat(Math.floor(random() * 4))}${Array.from({ length }, word).join('')};\n`;
  };
  return (size) => {
    const lines: string[] = [];
    for (let length = 0; length < size; length += lines.at(-1)?.length ?? 0) lines.push(line());
    return `${lines.join('').slice(0, size - 1)}\n`;
  };
}
