import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { IgnoreRules } from '@cleveragents/file-tools-domain';
import { runGit, temporaryDirectory } from '@cleveragents/shared-testing';

const RULES: Readonly<Record<string, string>> = {
  '': [
    '# a comment',
    '',
    '*.log',
    '!keep.log',
    '/only-here',
    'build/',
    'docs/*.md',
    '**/generated',
    'vendor/**',
    'a/**/z',
    '\\#literal',
    '\\!literal',
    'trailing   ',
    'kept\\ ',
    '[Tt]emp?',
    'foo*bar\r',
  ].join('\n'),
  sub: ['!x.log', 'deep.txt', '/rooted', 'inner/'].join('\n'),
};
const PATHS = [
  'x.log',
  'keep.log',
  'sub/x.log',
  'sub/y.log',
  'only-here',
  'sub/only-here',
  'build/x',
  'sub/build/x',
  'docs/a.md',
  'docs/sub/a.md',
  'generated',
  'p/q/generated',
  'vendor/x',
  'a/z',
  'a/b/c/z',
  'a/zz',
  '#literal',
  '!literal',
  'trailing',
  'kept ',
  'Temp1',
  'temp',
  'temp12',
  'foo-bar',
  'deep.txt',
  'sub/deep.txt',
  'sub/p/deep.txt',
  'sub/rooted',
  'sub/p/rooted',
  'sub/inner/x',
  'plain.txt',
];

describe('ignore rules', () => {
  it('agree with git check-ignore', async () => {
    const { path: root } = temporaryDirectory();
    await runGit(['init', '-q'], { cwd: root });
    const rules = new IgnoreRules();
    for (const [directory, text] of Object.entries(RULES)) {
      write(join(root, directory, '.gitignore'), text);
      rules.add(directory, text);
    }
    for (const path of PATHS) write(join(root, path), 'x');
    expect(PATHS.filter((path) => isIgnored(path, rules))).toEqual(await ignoredByGit(root));
  });
});

/** As a walk does: what lies in an ignored directory is never asked about. */
function isIgnored(path: string, rules: IgnoreRules): boolean {
  const names = path.split('/');
  return names.some((_, depth) =>
    rules.ignores(names.slice(0, depth + 1).join('/'), depth + 1 < names.length),
  );
}

async function ignoredByGit(root: string): Promise<readonly string[]> {
  const commandLine = ['check-ignore', '--stdin', '-z', '--no-index'];
  const output = await runGit(commandLine, { cwd: root, input: PATHS.join('\0') });
  return output
    .toString()
    .split('\0')
    .filter((path) => path !== '');
}

function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}
