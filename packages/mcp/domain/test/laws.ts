import { beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { SandboxPathRewriter, type SandboxPathRewriterOptions } from '@cleveragents/mcp-domain';

const H = '/home/user/project';
const S = '/workspace';
const plain = new SandboxPathRewriter({ hostRoot: H, sandboxRoot: S });

/** Roots that lie apart, inside each other, and with letters that mean something in a text. */
const CONFIGURATIONS: readonly SandboxPathRewriterOptions[] = [
  { hostRoot: H, sandboxRoot: S },
  { hostRoot: '/p', sandboxRoot: '/p/.sandbox/ws' },
  { hostRoot: '/ws/p', sandboxRoot: '/ws' },
  { hostRoot: '/p', sandboxRoot: '/' },
  { hostRoot: '/data:/ws', sandboxRoot: '/ws' },
  { hostRoot: '/my "p"/(x)', sandboxRoot: '/ws' },
  { hostRoot: '/é', sandboxRoot: '/w s' },
  { hostRoot: 'C:\\p', sandboxRoot: '/ws', windows: true },
  {
    mappings: [
      { host: '/a', sandbox: '/b', hostAliases: ['/x/a'] },
      { host: '/b/c', sandbox: '/d' },
      { host: '/a/b', sandbox: '/b/a' },
    ],
  },
];

const name = fc.stringMatching(/^[a-zA-Z0-9 _.é目-]{1,8}$/).filter((text) => !/^\.{1,2}( |$)/.test(text));
const below = fc.array(name, { maxLength: 4 }).map((names) => names.map((part) => `/${part}`).join(''));
const BITS = [
  ...[
    '/',
    '..',
    '.',
    '//',
    '/a',
    '/b',
    '/c',
    '/d',
    '/p',
    '/ws',
    '/x/a',
    H,
    S,
    'C:\\p',
    '\\',
    '/é',
    '/w s',
    '/w%20s',
    'file://',
  ],
  ...[
    'https://x',
    '://',
    ':',
    '=',
    '"',
    "'",
    '(',
    ')',
    ' ',
    '\n',
    '\\n',
    '\\"',
    '\\/',
    '\x1b[1m',
    '\\u0022',
    ',',
    '%',
    'a',
    '2',
    '.bak',
  ],
];
const prose = fc.array(fc.constantFrom(...BITS), { maxLength: 12 }).map((bits) => bits.join(''));
const json = fc.jsonValue({ depthSize: 'small', maxDepth: 4 });
const message = fc.letrec((tie) => ({
  value: fc.oneof({ maxDepth: 4 }, prose, json, tie('array'), tie('record')),
  array: fc.array(tie('value'), { maxLength: 4 }),
  record: fc.dictionary(
    fc.oneof(prose, fc.constantFrom('__proto__', 'content', 'text', 'uri', 'path')),
    tie('value'),
    { maxKeys: 4 },
  ),
})).value;

function frozen<T>(value: T): T {
  if (typeof value === 'object' && value !== null) {
    Object.values(value).forEach(frozen);
    Object.freeze(value);
  }
  return value;
}

/** Registers the laws as tests. */
export function proveLaws(parameters: { readonly seed?: number; readonly numRuns: number }): void {
  beforeAll(() => fc.configureGlobal(parameters));

  describe('R11 the laws', () => {
    it('a path inside a root comes back as it went', () => {
      fc.assert(
        fc.property(below, (rest) => {
          expect(plain.rewriteResult(plain.rewriteArguments({ p: H + rest }))).toEqual({ p: H + rest });
          expect(plain.rewriteArguments(plain.rewriteResult({ p: S + rest }))).toEqual({ p: S + rest });
          expect(plain.rewriteArguments({ p: H + rest })).toEqual({ p: S + rest });
        }),
      );
    });

    it('so does its URI, encoded as URIs are', () => {
      const uri = below.map((rest) => `file://${H}${encodeURI(rest)}`);
      fc.assert(
        fc.property(uri, (file) => {
          const inside = plain.rewriteArguments(file);
          expect(inside.startsWith(`file://${S}`)).toBe(true);
          expect(plain.rewriteResult(inside)).toBe(file);
        }),
      );
    });

    it.each(CONFIGURATIONS)('whatever path maps comes back as itself, for %j', (options) => {
      const rewriter = new SandboxPathRewriter({ ...options, text: false });
      const start = fc.constantFrom(
        '/p',
        '/ws',
        '/a',
        '/b',
        '/b/c',
        '/a/b',
        '/d',
        '/data:/ws',
        '/my "p"/(x)',
        '/é',
        '/w s',
        'C:\\p',
        '',
      );
      const separator = (options.windows ?? false) ? '\\' : '/';
      fc.assert(
        fc.property(start, below, (root, rest) => {
          const path = root + (root.startsWith('C:') ? rest.replaceAll('/', separator) : rest);
          const inside = rewriter.rewriteArguments(path);
          if (inside !== path) expect(rewriter.rewriteResult(inside)).toBe(path);
          const outside = rewriter.rewriteResult(path);
          if (outside !== path) expect(rewriter.rewriteArguments(outside)).toBe(path);
        }),
      );
    });

    it('what lies outside is a fixed point', () => {
      const outside = fc.string({ unit: 'binary' }).filter((text) => !text.includes(H) && !text.includes(S));
      fc.assert(
        fc.property(outside, (text) => {
          expect(plain.rewriteArguments(text)).toBe(text);
          expect(plain.rewriteResult(text)).toBe(text);
        }),
      );
    });

    it.each(CONFIGURATIONS)('rewriting twice is rewriting once, for %j', (options) => {
      const rewriter = new SandboxPathRewriter({ ...options, text: true });
      fc.assert(
        fc.property(message, (value) => {
          const inside = rewriter.rewriteArguments(value);
          expect(rewriter.rewriteArguments(inside)).toStrictEqual(inside);
          const outside = rewriter.rewriteResult(value);
          expect(rewriter.rewriteResult(outside)).toStrictEqual(outside);
        }),
      );
    });
  });

  describe('R1 the walk', () => {
    it('never changes its input, and answers a copy', () => {
      fc.assert(
        fc.property(message, (value) => {
          const before = JSON.stringify(value);
          const input = frozen(value);
          for (const output of [plain.rewriteArguments(input), plain.rewriteResult(input)])
            if (typeof input === 'object' && input !== null) expect(output).not.toBe(input);
          expect(JSON.stringify(input)).toBe(before);
        }),
      );
    });

    it('changes strings only: without a path inside, the copy is equal, own __proto__ keys and all', () => {
      const elsewhere = new SandboxPathRewriter({
        hostRoot: '/nowhere/on/host',
        sandboxRoot: '/nowhere/in/sandbox',
        keys: true,
      });
      const keyed = fc.dictionary(fc.constantFrom('__proto__', 'constructor', 'toString', 'a'), message);
      fc.assert(
        fc.property(fc.oneof(message, keyed), (value) => {
          expect(JSON.stringify(elsewhere.rewriteArguments(value))).toBe(JSON.stringify(value));
          expect(JSON.stringify(elsewhere.rewriteResult(value))).toBe(JSON.stringify(value));
        }),
      );
      const output = elsewhere.rewriteArguments(JSON.parse('{"__proto__":{"polluted":true}}') as object);
      expect(Object.getPrototypeOf(output)).toBe(Object.prototype);
      expect(Object.hasOwn(output, '__proto__')).toBe(true);
      expect('polluted' in {}).toBe(false);
    });

    it('passes on what JSON has no form for', () => {
      const odd = {
        date: new Date(0),
        map: new Map([[H, H]]),
        bytes: new Uint8Array(2),
        none: undefined,
        big: 1n,
      };
      const output = plain.rewriteArguments(odd);
      expect(output).toStrictEqual(odd);
      expect(output.map).toBe(odd.map);
    });

    it('takes objects without a prototype, and of another realm', () => {
      const bare = Object.assign(Object.create(null) as Record<string, unknown>, { path: `${H}/a` });
      expect(plain.rewriteArguments(bare)).toEqual({ path: `${S}/a` });
    });
  });

  describe('R8 JSON in a text stays JSON, with the paths that its value has', () => {
    const writers: readonly ((data: unknown) => string)[] = [
      (data) => JSON.stringify(data),
      (data) => JSON.stringify(data, null, 2),
      (data) => JSON.stringify(data).replaceAll('/', '\\/'),
      (data) => JSON.stringify(data).replaceAll('é', '\\u00e9'),
    ];
    const strings = [S, `${S}/a b`, `${S}/é/x`, `${S}\n`, `see ${S}/x.`, `${S}2`, `${S}/../x`];

    it.each(['/home/user/project', '/home/a "b"', 'C:\\Users\\a'])('for a host root %s', (hostRoot) => {
      const rewriter = new SandboxPathRewriter({ hostRoot, sandboxRoot: S, windows: true, text: true });
      const value = fc.dictionary(fc.constantFrom('a', 'b'), fc.constantFrom(...strings));
      fc.assert(
        fc.property(value, fc.constantFrom(...writers), (data, write) => {
          const parsed: unknown = JSON.parse(rewriter.rewriteText(write(data), { to: 'host' }));
          expect(parsed).toEqual(rewriter.rewriteResult(data));
          expect(rewriter.rewriteArguments(parsed)).toEqual(data);
        }),
      );
    });
  });
}
