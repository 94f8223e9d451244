// What a program that uses isomorphic-git for checkpoints does: status, add, commit. Prints the most memory that it had, in bytes.
import { appendFileSync } from 'node:fs';
import fs from 'node:fs';
import { join } from 'node:path';
import git from 'isomorphic-git';
import { peakBytes } from '../peak-memory.ts';

const [dir = '', changed = ''] = process.argv.slice(2);
const author = { name: 'Bench', email: 'bench@example.invalid' };
appendFileSync(join(dir, changed), '// changed\n');
const rows = await git.statusMatrix({ fs, dir });
const paths = rows.filter(([, head, workdir]) => head !== workdir).map(([path]) => path);
if (paths.join() !== changed) throw new Error(`changed: ${paths.join()}`);
await git.add({ fs, dir, filepath: paths });
await git.commit({ fs, dir, author, message: 'checkpoint' });
console.log(peakBytes());
