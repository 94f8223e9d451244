import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { git, GIT_ENVIRONMENT, gitBytes, makeProject, write } from '@cleveragents/shared-testing/real-git';
import { GitConfig } from '../src/git-config.ts';
import { IgnoreRules } from '../src/ignore-rules.ts';
import { findRepository } from '../src/repository-layout.ts';

let folder: string;
let root: string;
beforeEach(() => {
  ({ folder, root } = makeProject());
});
async function load(environment: Record<string, string> = GIT_ENVIRONMENT): Promise<IgnoreRules> {
  const layout = await findRepository(root);
  if (layout === null) throw new Error('no repository');
  return IgnoreRules.load(layout, await GitConfig.load(layout, environment));
}

/** The paths that git takes for ignored; what is a directory, it sees on the disk. */
function ignoredByGit(paths: readonly string[], environment: Record<string, string> = {}): readonly string[] {
  try {
    const output = gitBytes(root, ['check-ignore', '--no-index', '--stdin', '-z'], {
      input: paths.map((path) => `${path}\0`).join(''),
      environment,
    });
    return output.toString().split('\0').filter(Boolean);
  } catch (error) {
    if ((error as { status?: number }).status === 1) return []; // none of them
    throw error;
  }
}

/** Lays the paths out on the disk and asks both. */
async function expectAgreement(
  paths: readonly string[],
  environment: Record<string, string> = GIT_ENVIRONMENT,
): Promise<readonly string[]> {
  for (const path of paths)
    if (path.endsWith('/')) mkdirSync(join(root, path), { recursive: true });
    else write(root, path, '');
  const rules = await load(environment);
  const isDirectory = new Map(paths.map((path) => [path.replace(/\/$/, ''), path.endsWith('/')]));
  const ignored = [...isDirectory]
    .filter(([path, directory]) => rules.isIgnored(path, directory))
    .map(([path]) => path);
  expect(ignored).toEqual(ignoredByGit([...isDirectory.keys()], environment));
  return ignored;
}

const TREE = [
  'a',
  'b.log',
  'dir/',
  'dir/a',
  'dir/b.log',
  'dir/sub/',
  'dir/sub/keep.log',
  'build/',
  'build/out/x',
  'B.LOG',
];

describe('ignored paths are those of git check-ignore', () => {
  it.each([
    ['*.log'],
    ['*.log\n!keep.log'],
    ['dir/\n!dir/a'],
    ['dir/*\n!dir/sub\ndir/sub/*\n!dir/sub/keep.log'],
    ['/a\n/dir/sub'],
    ['dir/sub/'],
    ['a/'],
    ['**/sub\nbuild/**'],
    ['build/**/x\n**/*.log'],
    ['dir/**'],
    ['d**/b.log\nb**/x'],
    ['# no\n\\#x\n\\!y\n\na   \n b.log'],
    ['a\\ \nb.log\\'],
    ['\ufeffa\r\nb.log\r\n'],
    ['[ab]*\n[!b].log\n[[:alpha:]]\n[z-a]\n[unclosed'],
    ['?.log\n*\n!*/\n!keep.log'],
    ['/\n//\n!\ndir//'],
  ])('%j', async (rules) => {
    write(root, '.gitignore', rules);
    await expectAgreement(TREE);
  });

  it('when rules stand in several folders: the deeper one, and the later line, win', async () => {
    write(root, '.gitignore', '*.log\n/dir/local\n');
    write(root, 'dir/.gitignore', '!b.log\nlocal2\n/sub/anchored\n');
    write(root, 'dir/sub/.gitignore', '*\n!keep.*\n');
    await expectAgreement([
      ...TREE,
      'dir/local',
      'dir/local2',
      'dir/sub/anchored',
      'dir/sub/deep/keep.x',
      'local2',
    ]);
  });

  it('when a parent is ignored: nothing below can come back', async () => {
    write(root, '.gitignore', 'dir\n!dir/a\n');
    write(root, 'dir/.gitignore', '!*\n');
    expect(await expectAgreement(TREE)).toContain('dir/a');
  });

  it('with info/exclude and the user’s file, which is the weakest', async () => {
    write(root, '.git/info/exclude', '!b.log\nprivate\n');
    write(folder, 'xdg/git/ignore', '*.log\nuser\n!private\n');
    write(folder, 'mine', 'mine\n*.log\n');
    const paths = [...TREE, 'private', 'user', 'mine'];
    const environment = { ...GIT_ENVIRONMENT, XDG_CONFIG_HOME: join(folder, 'xdg') };
    expect(await expectAgreement(paths, environment)).toContain('user');
    git(root, 'config', 'core.excludesFile', join(folder, 'mine'));
    expect(await expectAgreement(paths, environment)).toContain('mine');
    git(root, 'config', 'core.excludesFile', '');
    await expectAgreement(paths, environment);
  });

  it('without regard to case where the repository says so, in ASCII only', async () => {
    git(root, 'config', 'core.ignorecase', 'true');
    write(root, '.gitignore', '*.LoG\n/DIR/Sub\n[[:upper:]]\nÄ\n[A-C]?x\n');
    await expectAgreement([...TREE, 'ä', 'Ä', 'bXx', 'q']);
  });

  it('byte by byte in names beyond ASCII', async () => {
    write(root, '.gitignore', '?\n??x\nü*\n/dir/ß\n[ä]\n𐀀*.txt\n');
    await expectAgreement(['ä', 'äx', 'über', 'dir/ß', 'dir/sub/ß', '𐀀1.txt', 'z', '€x']);
  });

  it('and a .gitignore that is a link counts for nothing', async () => {
    write(folder, 'rules', '*\n');
    symlinkSync(join(folder, 'rules'), join(root, '.gitignore'));
    expect(await expectAgreement(TREE)).toEqual([]);
  });
});

describe('ignored paths of any rules', () => {
  const piece = fc.constantFrom(
    'a',
    'b',
    'ab',
    '*',
    '**',
    '?',
    '[ab]',
    '[!a]',
    '[a-',
    '\\*',
    '\\',
    '/',
    '/',
    ' ',
    'ä',
  );
  const pattern = fc
    .tuple(
      fc.constantFrom('', '', '!', '/'),
      fc.array(piece, { minLength: 1, maxLength: 6 }),
      fc.constantFrom('', '', '/', ' '),
    )
    .map(([start, pieces, end]) => start + pieces.join('') + end);
  const rules = fc.array(pattern, { minLength: 1, maxLength: 6 }).map((lines) => lines.join('\n'));
  const name = fc.constantFrom('a', 'b', 'ab', 'ba', 'aab', 'ä', '*', 'c d');
  const path = fc.array(name, { minLength: 1, maxLength: 4 }).map((names) => names.join('/'));

  it('are those of git check-ignore', async () => {
    const layout = await findRepository(root);
    if (layout === null) throw new Error('no repository');
    const config = await GitConfig.load(layout, GIT_ENVIRONMENT);
    await fc.assert(
      fc.asyncProperty(
        rules,
        rules,
        fc.uniqueArray(path, { minLength: 5, maxLength: 30 }),
        async (top, inner, paths) => {
          const files = new Map([
            ['', top],
            ['a', inner],
          ]);
          write(root, '.gitignore', top);
          write(root, 'a/.gitignore', inner);
          // none of them exists: git takes each for a file
          const asked = paths.filter((one) => one !== 'a');
          const loaded = IgnoreRules.load(layout, config, {
            readIgnoreFile: (directory) => {
              const content = files.get(directory);
              return content === undefined ? null : new TextEncoder().encode(content);
            },
          });
          expect(asked.filter((one) => loaded.isIgnored(one, false))).toEqual(ignoredByGit(asked));
        },
      ),
      { numRuns: 80 },
    );
  });
});

it('reads each .gitignore once, and none in folders that are ignored', async () => {
  const layout = await findRepository(root);
  if (layout === null) throw new Error('no repository');
  const asked: string[] = [];
  const rules = IgnoreRules.load(layout, await GitConfig.load(layout, GIT_ENVIRONMENT), {
    readIgnoreFile: (directory) => {
      asked.push(directory);
      return directory === '' ? new TextEncoder().encode('out\n') : null;
    },
  });
  for (const path of ['out/a/b', 'out/a/c', 'in/a/b', 'in/a/c']) rules.isIgnored(path, false);
  expect(asked).toEqual(['', 'in', 'in/a']);
});
