import { expect, it } from '@jest/globals';
import { type ObjectId, parseObjectId } from '@cleveragents/git-domain';
import { TreeCache } from '../src/objects/tree-cache.ts';
import type { TreeMember } from '../src/objects/tree-codec.ts';

const LIMIT = 20_000;
const idOf = (number: number): ObjectId => parseObjectId(number.toString(16).padStart(40, '0'));
const tree = (size: number): readonly TreeMember[] =>
  Array.from({ length: size }, (_, at) => ({ name: `f${at}`, kind: 'file', mode: 0o644, id: idOf(at) }));

it('keeps the trees that were set last, up to 20,000 members', () => {
  const cache = new TreeCache();
  for (let number = 1; number <= 30; number++) cache.set(idOf(number), tree(1000));
  const kept = Array.from({ length: 30 }, (_, at) => at + 1).filter(
    (one) => cache.get(idOf(one)) !== undefined,
  );
  expect(kept).toEqual(Array.from({ length: LIMIT / 1000 }, (_, at) => at + 11));
});

it('counts a tree that is set again only once, and as the youngest', () => {
  const cache = new TreeCache();
  for (let number = 1; number <= 20; number++) cache.set(idOf(number), tree(1000));
  for (let time = 0; time < 100; time++) cache.set(idOf(1), tree(1000));
  expect(cache.get(idOf(2))).toBeDefined();
  cache.set(idOf(21), tree(1000));
  expect(cache.get(idOf(1))).toBeDefined();
  expect(cache.get(idOf(2))).toBeUndefined();
});
