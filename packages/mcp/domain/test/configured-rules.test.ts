import { describe, expect, it } from '@jest/globals';
import { hasCode } from '@cleveragents/shared-kernel';
import { SandboxPathRewriter, type SandboxPathRewriterOptions } from '@cleveragents/mcp-domain';

const roots = { hostRoot: '/home/user/project', sandboxRoot: '/workspace' };
const linked = {
  mappings: [
    { host: '/private/tmp/p', hostAliases: ['/tmp/p'], sandbox: '/ws', sandboxAliases: ['/mnt/ws'] },
  ],
};
const several = {
  mappings: [
    { host: '/home/user', sandbox: '/h' },
    { host: '/home/user/project', sandbox: '/workspace' },
    { host: '/home/user/project/vendor', sandbox: '/deps' },
  ],
};
const inside = { hostRoot: '/p', sandboxRoot: '/p/.sandbox/ws' };
const around = { hostRoot: '/ws/p', sandboxRoot: '/ws' };
const windows = { hostRoot: 'C:\\Users\\Me\\proj', sandboxRoot: '/workspace', windows: true };
const share = { hostRoot: '\\\\server\\share\\proj', sandboxRoot: '/workspace', windows: true };
const drive = { hostRoot: 'D:/', sandboxRoot: '/d', windows: true };
const wholeDisk = { hostRoot: '/home/user/project', sandboxRoot: '/' };
const own = (json: string): unknown => JSON.parse(json);

type Line = readonly [rule: string, options: SandboxPathRewriterOptions, input: unknown, expected: unknown];

const INTO_THE_SANDBOX: readonly Line[] = [
  ['R1 strings only', roots, [1, true, null, '/home/user/project'], [1, true, null, '/workspace']],
  ['R1 any depth', roots, { a: [{ b: ['/home/user/project/x'] }] }, { a: [{ b: ['/workspace/x'] }] }],
  [
    'R1 __proto__',
    roots,
    own('{"__proto__":{"p":"/home/user/project"}}'),
    own('{"__proto__":{"p":"/workspace"}}'),
  ],
  ['R1 constructor', roots, own('{"constructor":"/home/user/project"}'), own('{"constructor":"/workspace"}')],
  [
    'R2 slash of the configuration',
    { hostRoot: '/p//', sandboxRoot: '/ws/' },
    ['/p', '/p/', '/p/a'],
    ['/ws', '/ws/', '/ws/a'],
  ],
  ['R2 dots of the configuration', { hostRoot: '/a/../p/.', sandboxRoot: '/ws' }, '/p/a', '/ws/a'],
  ['R3 the longest root', several, ['/home/user/project/a', '/home/user/a'], ['/workspace/a', '/h/a']],
  ['R3 the longest of three', several, '/home/user/project/vendor/a', '/deps/a'],
  ['R3 the longest after dots', several, '/home/user/project/../a', '/h/a'],
  ['R3 the longest after dots again', several, '/home/user/x/../project/a', '/workspace/a'],
  ['R8 off', roots, 'cat /home/user/project/a', 'cat /home/user/project/a'],
  ['R8 on', { ...roots, text: true }, 'cat /home/user/project/a', 'cat /workspace/a'],
  ['R9 off', roots, { '/home/user/project/a': 1 }, { '/home/user/project/a': 1 }],
  ['R9 on', { ...roots, keys: true }, { '/home/user/project/a': 1 }, { '/workspace/a': 1 }],
  ['R11 already there', roots, '/workspace/a', '/workspace/a'],
  [
    'R11 a sandbox inside the host root',
    inside,
    ['/p/a', '/p/.sandbox/ws/a'],
    ['/p/.sandbox/ws/a', '/p/.sandbox/ws/a'],
  ],
  [
    'R11 the same with dots',
    inside,
    ['/p/./.sandbox/ws/a', '/p//.sandbox/ws'],
    ['/p/./.sandbox/ws/a', '/p//.sandbox/ws'],
  ],
  ['R11 a host root inside the sandbox root', around, ['/ws/p/a', '/ws/a'], ['/ws/a', '/ws/a']],
  ['R11 no name of its own there', around, '/ws/p/p/a', '/ws/p/p/a'],
  [
    'R11 the sandbox is all of a disk',
    wholeDisk,
    ['/home/user/project', '/home/user/project/a', '/etc'],
    ['/', '/a', '/etc'],
  ],
  ['R12 both spellings', linked, ['/tmp/p/a', '/private/tmp/p/a', '/tmp/q'], ['/ws/a', '/ws/a', '/tmp/q']],
  ['R12 the other side is another spelling', linked, '/mnt/ws/a', '/mnt/ws/a'],
  ['R13 backslashes', windows, 'C:\\Users\\Me\\proj\\src\\a.ts', '/workspace/src/a.ts'],
  ['R13 slashes', windows, 'C:/Users/Me/proj/src/a.ts', '/workspace/src/a.ts'],
  ['R13 case and both', windows, 'c:\\users/me\\PROJ/Src\\a.ts', '/workspace/Src/a.ts'],
  [
    'R13 the root, a longer name',
    windows,
    ['C:\\Users\\Me\\proj', 'C:\\Users\\Me\\proj2'],
    ['/workspace', 'C:\\Users\\Me\\proj2'],
  ],
  ['R13 a way out', windows, 'C:\\Users\\Me\\proj\\..\\x', 'C:\\Users\\Me\\proj\\..\\x'],
  ['R13 a parent inside', windows, 'C:\\Users\\Me\\proj\\a\\..\\b', '/workspace/b'],
  ['R13 no absolute path', windows, ['C:x', '\\Users\\Me\\proj', 'x:y'], ['C:x', '\\Users\\Me\\proj', 'x:y']],
  ['R13 a URI', windows, 'file:///c:/Users/Me/proj/a%20b', 'file:///workspace/a%20b'],
  [
    'R13 a share',
    share,
    ['\\\\server\\share\\proj\\a', '//SERVER/share/proj/a'],
    ['/workspace/a', '/workspace/a'],
  ],
  ['R13 a share as a URI', share, 'file://server/share/proj/a', 'file:///workspace/a'],
  ['R13 a drive', drive, ['D:\\', 'd:/a', 'D:', 'E:/a'], ['/d', '/d/a', 'D:', 'E:/a']],
];

const OUT_OF_THE_SANDBOX: readonly Line[] = [
  [
    'R3 the longest root',
    several,
    ['/workspace/a', '/h/a', '/deps'],
    ['/home/user/project/a', '/home/user/a', '/home/user/project/vendor'],
  ],
  ['R3 a name that another root shadows', several, '/h/project/a', '/h/project/a'],
  ['R8 off', { ...roots, text: false }, 'wrote /workspace/a', 'wrote /workspace/a'],
  ['R8 for one way', { ...roots, text: { results: false } }, 'wrote /workspace/a', 'wrote /workspace/a'],
  [
    'R8 escaped slashes in JSON',
    roots,
    '{"p":"\\/workspace\\/a\\/..\\/b"}',
    '{"p":"\\/home\\/user\\/project\\/b"}',
  ],
  [
    'R8 escaped letters in JSON',
    { hostRoot: '/home/josé', sandboxRoot: '/wörk' },
    '{"p":"/w\\u00f6rk/\\u00e4","q":"/wörk/ä"}',
    '{"p":"/home/jos\\u00e9/\\u00e4","q":"/home/josé/ä"}',
  ],
  [
    'R8 a root that JSON has to escape',
    { hostRoot: '/home/a "b"', sandboxRoot: '/ws' },
    ['{"p":"/ws/a"}', 'see /ws/a'],
    ['{"p":"/home/a \\"b\\"/a"}', 'see /home/a "b"/a'],
  ],
  [
    'R8 a root with a blank',
    { hostRoot: '/h', sandboxRoot: '/my ws' },
    'in /my ws/a, /my wsx',
    'in /h/a, /my wsx',
  ],
  ['R8 an encoded root', { hostRoot: '/h', sandboxRoot: '/my ws' }, 'in file:///my%20ws/a', 'in file:///h/a'],
  ['R8 all of a disk', wholeDisk, 'see /etc/x and / or a/b', 'see /home/user/project/etc/x and / or a/b'],
  ['R9 on', { ...roots, keys: { results: true } }, { '/workspace/a': 1 }, { '/home/user/project/a': 1 }],
  ['R11 already there', roots, '/home/user/project/a', '/home/user/project/a'],
  ['R11 a sandbox inside the host root', inside, ['/p/.sandbox/ws/a', '/p/a'], ['/p/a', '/p/a']],
  ['R11 the same in a text', inside, 'see /p/.sandbox/ws/a, /p/a', 'see /p/a, /p/a'],
  ['R11 a host root inside the sandbox root', around, ['/ws/a', '/ws/p/a'], ['/ws/p/a', '/ws/p/a']],
  ['R11 the same in a text', around, 'see /ws/a, /ws/p/a, /ws', 'see /ws/p/a, /ws/p/a, /ws/p'],
  ['R12 one spelling', linked, ['/ws/a', '/mnt/ws/a'], ['/private/tmp/p/a', '/private/tmp/p/a']],
  ['R12 in a text', linked, 'in /mnt/ws/a and /ws', 'in /private/tmp/p/a and /private/tmp/p'],
  ['R13 backslashes as configured', windows, '/workspace/src/a.ts', 'C:\\Users\\Me\\proj\\src\\a.ts'],
  ['R13 slashes as configured', drive, ['/d', '/d/a/b'], ['D:/', 'D:/a/b']],
  ['R13 a name that Windows cannot have', { ...windows, text: false }, '/workspace/a\\b', '/workspace/a\\b'],
  ['R13 a URI', windows, 'file:///workspace/a%20b', 'file:///C:/Users/Me/proj/a%20b'],
  ['R13 a share as a URI', share, 'file:///workspace/a', 'file://server/share/proj/a'],
  ['R13 a text', windows, 'see /workspace/a/b, not it', 'see C:\\Users\\Me\\proj\\a\\b, not it'],
  ['R13 JSON', windows, '{"p":"/workspace/a/b"}', '{"p":"C:\\\\Users\\\\Me\\\\proj\\\\a\\\\b"}'],
  [
    'R13 texts with Windows paths of the sandbox',
    { hostRoot: '/h', sandboxRoot: 'C:\\ws', windows: true },
    ['in c:\\WS\\a\\b, C:/ws/a (C:\\ws)', '{"p":"C:\\\\ws\\\\a","q":"C:\\\\ws"}', 'C:\\ws2 file:///C:/ws/a'],
    ['in /h/a/b, /h/a (/h)', '{"p":"/h/a","q":"/h"}', 'C:\\ws2 file:///h/a'],
  ],
];

it.each(INTO_THE_SANDBOX)('into the sandbox: %s', (_rule, options, input, expected) => {
  expect(new SandboxPathRewriter(options).rewriteArguments(input)).toEqual(expected);
});

it.each(OUT_OF_THE_SANDBOX)('out of the sandbox: %s', (_rule, options, input, expected) => {
  expect(new SandboxPathRewriter(options).rewriteResult(input)).toEqual(expected);
});

describe('configurations that could mean two things', () => {
  const codeOf = (options: SandboxPathRewriterOptions): string | undefined => {
    try {
      new SandboxPathRewriter(options);
      return undefined;
    } catch (error) {
      if (!(error instanceof Error)) throw error;
      expect(error).toMatchObject({ name: 'McpPathError', hint: expect.any(String) });
      return (error as Error & { code: string }).code;
    }
  };

  it.each<readonly [string, SandboxPathRewriterOptions, string]>([
    ['no mapping', { mappings: [] }, 'MCP_PATH_NO_MAPPING'],
    ['a relative host root', { hostRoot: 'project', sandboxRoot: '/ws' }, 'MCP_PATH_ROOT_RELATIVE'],
    ['a relative sandbox root', { hostRoot: '/p', sandboxRoot: './ws' }, 'MCP_PATH_ROOT_RELATIVE'],
    ['a home directory nobody expanded', { hostRoot: '~/p', sandboxRoot: '/ws' }, 'MCP_PATH_ROOT_RELATIVE'],
    [
      'a Windows root that nobody asked for',
      { hostRoot: 'C:\\p', sandboxRoot: '/ws' },
      'MCP_PATH_ROOT_RELATIVE',
    ],
    [
      'a drive without a path',
      { hostRoot: 'C:', sandboxRoot: '/ws', windows: true },
      'MCP_PATH_ROOT_RELATIVE',
    ],
    ['an empty root', { hostRoot: '', sandboxRoot: '/ws' }, 'MCP_PATH_ROOT_INVALID'],
    ['a root with a line break', { hostRoot: '/a\nb', sandboxRoot: '/ws' }, 'MCP_PATH_ROOT_INVALID'],
    ['a root with half a letter', { hostRoot: '/a\ud800', sandboxRoot: '/ws' }, 'MCP_PATH_ROOT_INVALID'],
    ['R3 the same root on both sides', { hostRoot: '/p', sandboxRoot: '/p/' }, 'MCP_PATH_ROOTS_EQUAL'],
    [
      'R3 two equal host roots',
      {
        mappings: [
          { host: '/p', sandbox: '/a' },
          { host: '/p/.', sandbox: '/b' },
        ],
      },
      'MCP_PATH_ROOTS_EQUAL',
    ],
    [
      'R3 two equal sandbox roots',
      {
        mappings: [
          { host: '/a', sandbox: '/ws' },
          { host: '/b', sandbox: '/ws' },
        ],
      },
      'MCP_PATH_ROOTS_EQUAL',
    ],
    [
      'R3 a host root that is another sandbox root',
      {
        mappings: [
          { host: '/a', sandbox: '/b' },
          { host: '/b', sandbox: '/c' },
        ],
      },
      'MCP_PATH_ROOTS_EQUAL',
    ],
    [
      'R12 an alias that is a root',
      { mappings: [{ host: '/a', hostAliases: ['/b'], sandbox: '/b' }] },
      'MCP_PATH_ROOTS_EQUAL',
    ],
    [
      'R13 roots that differ in case only',
      {
        mappings: [
          { host: 'C:\\a', sandbox: '/a' },
          { host: 'c:/A', sandbox: '/b' },
        ],
        windows: true,
      },
      'MCP_PATH_ROOTS_EQUAL',
    ],
  ])('%s is refused', (_name, options, code) => {
    expect(codeOf(options)).toBe(code);
  });

  it('names the option that helps when a Windows root was not asked for', () => {
    expect(() => new SandboxPathRewriter({ hostRoot: 'C:\\p', sandboxRoot: '/ws' })).toThrow(
      expect.objectContaining({ hint: expect.stringContaining('windows: true') }),
    );
  });
});

describe('messages that cannot be rewritten', () => {
  const strict = new SandboxPathRewriter({ ...roots, strict: true });
  const keyed = new SandboxPathRewriter({ mappings: linked.mappings, keys: true });
  const nested = (levels: number): unknown =>
    JSON.parse(`${'['.repeat(levels)}"/home/user/project"${']'.repeat(levels)}`);

  it.each(['/home/user/project/../x', 'file:///home/user/project/a/../../x', '/home/user/project/..'])(
    'R4 strict refuses %s',
    (path) => {
      expect(() => strict.rewriteArguments({ path })).toThrow(
        expect.objectContaining({ code: 'MCP_PATH_ESCAPES_ROOT', data: { path, to: 'sandbox' } }),
      );
    },
  );

  it('R4 strict refuses neither what stays inside, nor what never was, nor content, nor a text', () => {
    const input = { a: '/home/user/project/x/../y', b: '/etc/../x', content: '/home/user/project/../x' };
    expect(strict.rewriteArguments(input)).toEqual({ ...input, a: '/workspace/y' });
    expect(strict.rewriteResult('see /workspace/../x')).toBe('see /workspace/../x');
  });

  it('R9 refuses two keys that become one', () => {
    for (const keys of [
      ['/tmp/p/a', '/private/tmp/p/a'],
      ['/tmp/p/a', '/ws/a'],
      ['/ws/a', '/tmp/p/a'],
    ])
      expect(() => keyed.rewriteArguments(Object.fromEntries(keys.map((key) => [key, 1])))).toThrow(
        expect.objectContaining({
          code: 'MCP_PATH_KEY_COLLISION',
          data: expect.objectContaining({ name: '/ws/a' }),
        }),
      );
  });

  it('R1 goes 200 levels deep, and says so beyond', () => {
    const rewriter = new SandboxPathRewriter(roots);
    expect(JSON.stringify(rewriter.rewriteArguments(nested(200)))).toContain('"/workspace"');
    expect(() => rewriter.rewriteArguments(nested(201))).toThrow(
      expect.objectContaining({ code: 'MCP_PATH_TOO_DEEP' }),
    );
  });

  it('R1 does not follow a value that contains itself for ever, not even as content', () => {
    const ring: Record<string, unknown> = {};
    ring['content'] = ring;
    let thrown: unknown;
    try {
      new SandboxPathRewriter(roots).rewriteArguments(ring);
    } catch (error) {
      thrown = error;
    }
    expect(hasCode(thrown, 'MCP_PATH_TOO_DEEP')).toBe(true);
  });
});
