// Keeps the code of the Markdown files in step with docs/examples, which CI compiles and runs.
//   node tools/docs/docs.mjs            write
//   node tools/docs/docs.mjs --check    report every difference (exit 1)
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../setup.mjs';
import { withExamples } from './examples.mjs';
import { markdownFiles } from './markdown-files.mjs';

const checking = process.argv[2] === '--check';
const read = (path) => readFileSync(join(root, path), 'utf8');
const problems = [];
for (const file of markdownFiles()) {
  const before = read(file);
  try {
    const after = withExamples(before, read);
    if (after === before) continue;
    if (checking) problems.push(`${file}: not as its examples are (npm run docs)`);
    else writeFileSync(join(root, file), after);
  } catch (error) {
    problems.push(`${file}: ${error.message}`);
  }
}
for (const problem of problems) console.error(problem);
console.log(`docs: ${problems.length} problems`);
process.exitCode = problems.length === 0 ? 0 : 1;
