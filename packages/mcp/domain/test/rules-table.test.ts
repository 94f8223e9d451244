import { describe, expect, it } from '@jest/globals';
import { SandboxPathRewriter } from '@cleveragents/mcp-domain';

const H = '/home/user/project';
const S = '/workspace';
const rewriter = new SandboxPathRewriter({ hostRoot: H, sandboxRoot: S });

/** Each line serves both directions: ROOT is the root of the side that the text comes from, or in a result goes to. */
const named = (text: string, root: string, same = root): string =>
  text.replaceAll('ROOT', root).replaceAll('SAME', same);

/** Mapped in both directions. The expected text is the input, with the other root, unless a second text is given; SAME stays. */
const WHOLE: readonly (readonly [rule: string, input: string, expected?: string])[] = [
  ['R2 the root itself', 'ROOT'],
  ['R2 a file below the root', 'ROOT/src/main.py'],
  ['R2 a trailing slash of the value is kept', 'ROOT/'],
  ['R2 a trailing slash below the root is kept', 'ROOT/src/'],
  ['R2 a name with blanks', 'ROOT/my documents/a b.txt'],
  ['R2 a name beyond ASCII', 'ROOT/目录/naïve.txt'],
  ['R2 a name with a backslash, which is a letter on POSIX', 'ROOT/a\\b'],
  ['R2 a hidden file', 'ROOT/.env'],
  ['R4 a name that begins with dots', 'ROOT/..foo/...bar'],
  ['R4 a dot is kept as it is', 'ROOT/./src/main.py'],
  ['R4 doubled slashes are kept as they are', 'ROOT//src///main.py'],
  ['R4 a parent that stays inside is normalised', 'ROOT/src/../lib/a.ts', 'ROOT/lib/a.ts'],
  ['R4 a parent that reaches the root itself', 'ROOT/src/..', 'ROOT'],
  ['R4 a way out and in again', 'ROOT/../../../../..ROOT/x', 'ROOT/x'],
  ['R6 a file URI', 'file://ROOT/src/main.py'],
  ['R6 a file URI of this machine by name', 'file://localhostROOT/src/main.py'],
  ['R6 an encoded name', 'file://ROOT/my%20documents/a%23b.txt'],
  ['R6 query and fragment stay', 'file://ROOT/a.md?raw=1#L3-L9'],
  ['R6 the root as a URI', 'file://ROOT'],
  ['R6 an encoded parent that stays inside', 'file://ROOT/src/%2e%2e/a%20b', 'file://ROOT/a%20b'],
  ['R6 the scheme in another case', 'FILE://ROOT/a'],
  ['R7 a line and a column', 'ROOT/src/a.ts:12:3'],
  ['R7 a fragment', 'ROOT/src/a.ts#L3'],
];

/** In both directions, alone and in texts: nothing is touched. */
const UNTOUCHED: readonly (readonly [rule: string, input: string])[] = [
  ['R2 no path', 'My Document'],
  ['R2 an empty string', ''],
  ['R2 a path elsewhere', '/other/location/file.py'],
  ['R2 a longer name', 'ROOT2'],
  ['R2 a longer name with a path', 'ROOT2/a'],
  ['R2 an extension of the root', 'ROOT.bak'],
  ['R2 a sibling with a dash', 'ROOT-old/a'],
  ['R2 the root in another case', 'ROOT_/a'],
  ['R2 the root below another directory', '/mntROOT/a'],
  ['R2 two slashes at the start', '/ROOT/a'],
  ['R2 a relative path', 'src/main.py'],
  ['R4 a way out', 'ROOT/../secret'],
  ['R4 a way out from deep inside', 'ROOT/a/b/../../../secret'],
  ['R4 the parent of the root', 'ROOT/..'],
  ['R4 a way out through a name with a blank', 'ROOT/my dir/../../secret'],
  ['R6 an encoded slash', 'file://ROOT/a%2fb'],
  ['R6 an encoded backslash', 'file://ROOT/a%5cb'],
  ['R6 an encoded NUL', 'file://ROOT/a%00b'],
  ['R6 a broken encoding', 'file://ROOT/a%zz'],
  ['R6 an encoded way out', 'file://ROOT/%2e%2e/secret'],
  ['R6 another machine', 'file://serverROOT/a'],
  ['R8 a web address', 'https://example.comROOT/a'],
  ['R8 a parameter of a web address', 'https://example.com/?path=ROOT/a&x=(ROOT)'],
  ['R8 a file URI in a web address', 'https://example.com/?u=file://ROOT/a'],
  ['R8 a path that goes on as a URI', 'x/file://ROOT'],
  ['R8 a bucket', 's3://bucketROOT/a'],
  ['R8 a host-less address', 's3://ROOT/a'],
  ['R8 the home directory', '~ROOT/a'],
  ['R8 a relative path of the same name', '..ROOT/a'],
  ['R8 a relative path of the same name, from here', '.ROOT/a'],
  ['R8 a variable before it', '$HOMEROOT/a'],
  ['R8 a braced variable before it', '${HOME}ROOT/a'],
  ['R8 a quoted variable before it', '"$HOME"ROOT/a'],
  ['R8 a command substitution before it', '$(pwd)ROOT/a'],
  ['R8 a glob before it', '**ROOT/**'],
  ['R8 a drive before it', 'C:ROOT/a'],
  [
    'R8 a longer name in a sentence',
    'see ROOT2, ROOT-old, ROOT_x, ROOT~, ROOT+x, ROOT@2, ROOT%20x and ROOT.bak.',
  ],
  ['R8 a glob behind it', 'ls ROOT*'],
  ['R8 an alternative behind it', 'ls ROOT{1,2}'],
  ['R8 letters behind it', 'see ROOT目录'],
];

/** Only in texts, in both directions. */
const IN_TEXTS: readonly (readonly [rule: string, input: string, expected?: string])[] = [
  ['a sentence', 'Wrote ROOT/a.txt and ROOT/b.txt.'],
  ['the root at the end of a sentence', 'Everything lies in ROOT. Nothing else does, not even ROOT!'],
  ['an ellipsis', 'Searching ROOT...'],
  ['a question', 'Is it in ROOT? No.'],
  ['lines', 'ROOT/a.ts:1:2: error\r\nROOT/b.ts:3:4: error\n'],
  ['a NUL separated list', 'ROOT/a\0ROOT/b\0'],
  ['an assignment', 'CWD=ROOT HOME=ROOT/home'],
  ['a list of directories', 'PATH=/usr/bin:ROOT/bin:ROOT:/bin'],
  ['a mount', 'docker run -v /a:ROOT -v ROOT:/b:ro -v ROOT/x:/c image'],
  ['an option', '--root=ROOT/a --out ROOT'],
  ['an option in quotes', '"--root=ROOT/a"'],
  ['double quotes', 'open "ROOT/a" failed'],
  ['single quotes', "ENOENT: no such file or directory, open 'ROOT/a.txt'"],
  ['back quotes', 'Run `ls ROOT` or `ROOT/run.sh`'],
  ['typographic quotes', '“ROOT/a” ‘ROOT’ «ROOT»'],
  ['brackets', 'at run (ROOT/a.js:1:2) [ROOT/b] {ROOT} <ROOT/c>'],
  ['a Markdown link', '[a](ROOT/a.md), [b](ROOT)'],
  ['HTML', '<li>ROOT/a</li><li>ROOT</li>'],
  ['an entity', '&quot;ROOT/a&quot;, &lt;ROOT&gt;'],
  ['a comma separated list', 'ROOT/a,ROOT/b;ROOT/c|ROOT'],
  ['a redirection', 'echo x >ROOT/out 2>ROOT/err </dev/null'],
  ['JSON', '{"path":"ROOT/a.txt","root":"ROOT","list":["ROOT/b"]}'],
  ['JSON in JSON', '{"text":"{\\"path\\":\\"ROOT/a\\",\\"root\\":\\"ROOT\\"}"}'],
  ['lines in JSON', '{"stack":"Error\\nROOT/a.js\\tROOT\\nend"}'],
  ['escaped quotes in JSON', '{"html":"\\u003cROOT/a\\u003e \\u0022ROOT\\u0022"}'],
  ['string literals', 'open(r"ROOT/a", f\'ROOT/b\', b"ROOT")'],
  ['colours', '\x1b[1;31mROOT/a.ts\x1b[0m:\x1b[32m12\x1b[m \x1b[38;5;4mROOT\x1b[0m'],
  ['colours in JSON', '{"log":"\\u001b[31mROOT/a\\u001b[0m \\u001b[1mROOT\\u001b[0m"}'],
  ['a link of a terminal', '\x1b]8;;file://ROOT/a\x1b\\ROOT/a\x1b]8;;\x1b\\'],
  ['file URIs', 'see file://ROOT/a%20b, <file://ROOT/c#L1> and file://ROOT.'],
  ['a mention', 'compare @ROOT/a with -d @ROOT/b'],
  [
    'an option of one letter',
    'cc -IROOT/include "-LROOT/lib" -oROOT/a x-IROOT/b',
    'cc -IROOT/include "-LROOT/lib" -oROOT/a x-ISAME/b',
  ],
  [
    'a Python traceback',
    '  File "ROOT/a.py", line 3, in <module>\nFileNotFoundError: [Errno 2] No such file: \'ROOT/b\'',
  ],
  [
    'a stack of JavaScript',
    'Error: x\n    at Object.<anonymous> (ROOT/a.js:1:2)\n    at async file://ROOT/b.mjs:3:4',
  ],
  ['a compiler', 'ROOT/src/a.ts(12,3): error TS2304: Cannot find name.\nIn file included from ROOT/a.c:1:'],
  ['git', "fatal: not a git repository: 'ROOT/.git'\nInitialized empty Git repository in ROOT/.git/"],
  ['a link in a listing', 'lrwxrwxrwx 1 root root 9 a -> ROOT/b'],
  ['YAML', 'root: ROOT\nlist:\n- ROOT/a\n- {path: ROOT/b, other: [ROOT/c]}\n'],
  ['a unified diff', '--- ROOT/a.txt\t2024-01-01\n+++ ROOT/a.txt\t2024-01-02\n'],
  ['a shell line', 'cd ROOT&&ls ROOT;cat<ROOT/a|tee ROOT/b&'],
  ['a query result', '("ROOT/a",1),(\'ROOT/b\',2)'],
  ['a URL before it', 'https://example.com/a ROOT/b'],
  ['a URL in brackets before it', '(https://example.com):ROOT/b'],
  ['a blank that is no ASCII', 'see\u00a0ROOT/a\u3000ROOT'],
  ['punctuation that is no ASCII', '见（ROOT/a）、ROOT。'],
  ['parents', 'cp ROOT/a/../b ROOT/../c ROOT/d', 'cp ROOT/b SAME/../c ROOT/d'],
  ['a parent in a sentence', 'ROOT/src imports ../lib and lib/../x'],
  ['a colon before the next path', 'ROOT/a:ROOT/b/../c', 'ROOT/a:ROOT/c'],
];

const directions = [
  {
    way: 'host to sandbox',
    from: H,
    to: S,
    alone: (text: string) => rewriter.rewriteArguments({ text_: text }).text_,
  },
  {
    way: 'sandbox to host',
    from: S,
    to: H,
    alone: (text: string) => rewriter.rewriteResult({ content: [{ type: 'text', text }] }).content[0]?.text,
  },
];

describe.each(directions)('$way', ({ from, to, alone }) => {
  const side = to === S ? 'sandbox' : 'host';

  it.each(WHOLE)('%s: %s', (_rule, input, expected = input) => {
    expect(alone(named(input, from))).toBe(named(expected, to, from));
    expect(rewriter.rewrite(named(input, from), { to: side })).toBe(named(expected, to, from));
    expect(rewriter.rewriteText(named(input, from), { to: side })).toBe(named(expected, to, from));
  });

  it.each(UNTOUCHED)('%s: %s', (_rule, input) => {
    expect(alone(named(input, from))).toBe(named(input, from));
    expect(rewriter.rewriteText(named(input, from), { to: side })).toBe(named(input, from));
  });

  it.each(IN_TEXTS)('R8 %s: %s', (_rule, input, expected = input) => {
    expect(rewriter.rewriteText(named(input, from), { to: side })).toBe(named(expected, to, from));
  });

  it.each(['ROOT/a\0b', 'ROOT/a\nb', 'ROOT/a\rb', 'file://ROOT/a%0ab', 'file://ROOT/a?\n'])(
    'R5 no path, however it begins: %j',
    (input) => {
      expect(rewriter.rewrite(named(input, from), { to: side })).toBe(named(input, from));
    },
  );
});

it('rewrites whole strings of arguments, and the middle of strings in results', () => {
  expect(rewriter.rewriteArguments({ command: `ls ${H}` })).toEqual({ command: `ls ${H}` });
  expect(rewriter.rewriteResult({ message: `listed ${S}` })).toEqual({ message: `listed ${H}` });
});
