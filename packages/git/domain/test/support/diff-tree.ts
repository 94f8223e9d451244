import type { ObjectId } from '../../src/index.ts';
import type { RealRepository } from './real-git.ts';

/**
 * What `git diff-tree -r` prints for each pair of trees, asked in one process.
 *
 * @returns bytes as characters.
 */
export function diffTreeEach(
  repository: RealRepository,
  args: readonly string[],
  pairs: readonly (readonly [ObjectId, ObjectId])[],
): readonly string[] {
  const lines = pairs.map(([from, to]) => `${from} ${to}\n`);
  const output = repository.git(['diff-tree', '--stdin', '-r', ...args], lines.join('')).toString('latin1');
  const parts: string[] = [];
  let at = 0;
  lines.forEach((line, index) => {
    if (!output.startsWith(line, at)) throw new Error(`git diff-tree did not speak of ${line}`);
    const start = at + line.length;
    const next = lines[index + 1];
    const end = next === undefined ? output.length : output.indexOf(next, start);
    parts.push(output.slice(start, end));
    at = end;
  });
  return parts;
}
