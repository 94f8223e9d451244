import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { root } from '../setup.mjs';
import { withExamples } from './examples.mjs';

const FILES = {
  'docs/examples/whole.ts': "import { a } from 'a';\n\n// #region core\na();\n// #endregion\n",
};
const read = (path) => {
  if (path in FILES) return FILES[path];
  throw new Error(`no ${path}`);
};
const block = (marker, code) =>
  `# Title\n\n<!-- example: ${marker} -->\n\n\`\`\`ts\n${code}\`\`\`\n\nText.\n`;

describe('code in Markdown', () => {
  it('becomes the whole example, without the lines that mark regions', () => {
    assert.equal(
      withExamples(block('docs/examples/whole.ts', 'old\n'), read),
      block('docs/examples/whole.ts', "import { a } from 'a';\n\na();\n"),
    );
  });

  it('becomes one region of an example', () => {
    assert.equal(
      withExamples(block('docs/examples/whole.ts#core', ''), read),
      block('docs/examples/whole.ts#core', 'a();\n'),
    );
  });

  it('stays what it is when it is in step', () => {
    const text = block('docs/examples/whole.ts#core', 'a();\n');
    assert.equal(withExamples(text, read), text);
  });

  it('stays what it is without a marker', () => {
    const text = '```ts\nfree();\n```\n';
    assert.equal(withExamples(text, read), text);
  });

  for (const [what, text] of [
    ['whose example is missing', block('docs/examples/none.ts', '')],
    ['whose region is missing', block('docs/examples/whole.ts#none', '')],
    ['that has a marker and no block', '<!-- example: docs/examples/whole.ts -->\n\ntext\n'],
  ])
    it(`is refused ${what}`, () => {
      assert.throws(() => withExamples(text, read), Error);
    });
});

describe('an example runs', () => {
  const names = readdirSync(join(root, 'docs/examples')).filter((name) => name.endsWith('.ts'));
  for (const name of names)
    it(name, () => {
      const run = spawnSync(
        process.execPath,
        ['--conditions=@cleveragents/source', '--import=tsx', join('docs/examples', name)],
        { cwd: root, encoding: 'utf8' },
      );
      assert.equal(run.status, 0, `${run.stdout}${run.stderr}`);
    });
});
