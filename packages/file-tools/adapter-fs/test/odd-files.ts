import { writeFileSync } from 'node:fs';
import type { DiskRootedWorld } from '@cleveragents/shared-testing';

const utf16 = (text: string, littleEndian: boolean): Buffer => {
  const bytes = Buffer.from(`\ufeff${text}`, 'utf16le');
  return littleEndian ? bytes : bytes.swap16();
};

/** Files that tell two searchers apart: endings, marks, broken text, NULs, odd names, long lines, ignore files. */
export async function plantOddFiles(world: DiskRootedWorld): Promise<void> {
  const lines = [
    'needle in a haystack',
    'Needle',
    'a needle, a needle',
    '\tneedle ',
    '',
    '   ',
    'x.y\\d+ [a-z] (b|c) {2}? ^$ $& --files',
    '-e --pre=sh # "quoted" \'single\' `$(id)` 100% ./a/../b',
    'é e\u0301 € ß İ ÿ \u00a0 🙂',
    '\u2028 inside \ufeff \u202e \u001b[31mred',
    'need',
    'leneed',
    'xxneedle',
    'deed needed',
    '2026-11-30',
    'ABC \x01 control',
    'a\rb lone return',
    'tab\there',
  ];
  const text = lines.join('\n');
  const files: Readonly<Record<string, string | Uint8Array>> = {
    empty: '',
    'one-line': 'needle',
    'only-ends': '\n\n\n',
    'unix.txt': `${text}\n`,
    'dos.txt': `${lines.join('\r\n')}\r\n`,
    'mac.txt': lines.join('\r'),
    'mixed.txt': lines.map((line, index) => line + (['\n', '\r\n', '\r'][index % 3] ?? '')).join(''),
    'marked.txt': `\ufeff${text}`,
    'utf-16le.txt': utf16(text, true),
    'utf-16be.txt': utf16(text, false),
    'utf-16-odd': Buffer.concat([utf16(text, true), Buffer.of(0x6e)]),
    'latin-1.txt': Buffer.from(text, 'latin1'),
    'broken.txt': Buffer.concat([
      Buffer.from('needle \xff\xfe\n', 'latin1'),
      Buffer.from(text),
      Buffer.of(0xe2, 0x82),
    ]),
    'surrogates.txt': Buffer.from('needle \xed\xa0\x80 x\n', 'latin1'),
    'early-nul': 'need\0le needle\n',
    'late-nul': `${text}\n${'padding '.repeat(2000)}\n\0 needle\n`,
    'all-nul': new Uint8Array(10_000),
    'long-line': `${'x'.repeat(100_000)} needle ${'y'.repeat(100_000)}`,
    'large-with': `${'padding needle\n'.repeat(30_000)}`,
    'large-without': 'zzzz\n'.repeat(80_000),
    'large-late-nul': `${'zzzz\n'.repeat(80_000)}\0`,
    '.hidden': text,
    '.gitignore': '*\n',
    '.ignore': '*\n',
    '.rgignore': '*\n',
    'name with spaces': text,
    '-e': text,
    '--files': text,
    'new\nline': text,
    '\u001b[31mred': text,
    'ünïcode/🙂': text,
    'a-b/x': text,
    'a/x': text,
    'a.c': text,
    'deep/er/and/deeper/file.ts': text,
    '.git/config': text,
    'sub/.git/config': text,
    'sub/file': text,
    'worktree/.git': 'gitdir: elsewhere',
    'worktree/deep/file': text,
    'odd/.GIT/file': text,
    'node_modules/x/index.js': text,
    [`${'d/'.repeat(70)}too-deep`]: text,
  };
  for (const [name, contents] of Object.entries(files)) await world.plantFile(`sandbox/${name}`, contents);
  // A name that is no text: nobody can open what is made of it.
  writeFileSync(Buffer.from(`${world.absolute('sandbox/name')}\xff\xfe`, 'latin1'), text);
  await world.plantFile('outside/secret', text);
  await world.plantLink('sandbox/link', '../outside');
  await world.plantLink('sandbox/a-link', 'unix.txt');
  await world.plantLink('sandbox/loop', 'loop');
  await world.plantFifo('sandbox/fifo');
}
