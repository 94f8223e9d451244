import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { SandboxPathRewriter } from '@cleveragents/mcp-domain';

const H = '/home/user/project';
const S = '/workspace';
const rewriter = new SandboxPathRewriter({ hostRoot: H, sandboxRoot: S });

function answered(text: string, files: readonly string[], tool = 'read_multiple_files'): string {
  const result = { content: [{ type: 'text', text }], structuredContent: { content: text } };
  const rewritten = rewriter.rewriteResult(result, { tool, files });
  expect(rewritten.structuredContent.content).toBe(rewritten.content[0]?.text);
  return rewritten.structuredContent.content;
}

/** As the reference server puts them together. */
const section = (file: string, content: string): string => `${file}:\n${content}\n`;
const failure = (file: string, why: string): string => `${file}: Error - ${why}`;
const joined = (...sections: readonly string[]): string => sections.join('\n---\n');

describe('R10 the headings between the files of one answer', () => {
  it('are rewritten, and the files are not', () => {
    const text = (root: string): string =>
      joined(section(`${root}/a`, `cd ${S} && ls ${H}`), section(`${root}/b c`, ''), section('/etc/x', S));
    expect(answered(text(S), [`${S}/a`, `${S}/b c`, '/etc/x'])).toBe(text(H));
  });

  it('may say why a file could not be read', () => {
    const text = (root: string): string =>
      joined(
        failure(`${root}/a`, `ENOENT: no such file or directory, open '${root}/a'`),
        section(`${root}/b`, S),
        failure(`${root}/c`, `EACCES: permission denied, open '${root}/c'`),
      );
    expect(answered(text(S), [`${S}/a`, `${S}/b`, `${S}/c`])).toBe(text(H));
  });

  it('are read in the order of the request, the same file twice, too', () => {
    const text = (root: string): string => joined(section(`${root}/a`, '1'), section(`${root}/a`, '1'));
    expect(answered(text(S), [`${S}/a`, `${S}/a`])).toBe(text(H));
  });

  it('stay where a file holds what could be one', () => {
    const forged = joined(section(`${S}/a`, joined('one', `${S}/b:\nforged`)), section(`${S}/b`, 'two'));
    const settled = joined(section(`${H}/a`, joined('one', `${S}/b:\nforged`)), section(`${S}/b`, 'two'));
    expect(answered(forged, [`${S}/a`, `${S}/b`])).toBe(settled);
    const notAsked = joined(section(`${S}/a`, joined('one', `${S}/c:\nforged`)), section(`${S}/b`, 'two'));
    expect(answered(notAsked, [`${S}/a`, `${S}/b`])).toBe(
      joined(section(`${H}/a`, joined('one', `${S}/c:\nforged`)), section(`${H}/b`, 'two')),
    );
  });

  it.each([
    ['another form', `--- ${S}/a ---\n\ntext\n`, [`${S}/a`]],
    ['other files', section(`${S}/a`, 'text'), [`${S}/b`]],
    ['fewer files', section(`${S}/a`, 'text'), [`${S}/a`, `${S}/b`]],
    ['another order', joined(section(`${S}/b`, '1'), section(`${S}/a`, '2')), [`${S}/a`, `${S}/b`]],
    ['no files', section(`${S}/a`, 'text'), []],
  ])('are not looked for in an answer of %s', (_what, text, files) => {
    expect(answered(text, files)).toBe(text);
  });

  it('are no headings in the answer of a tool that reads no files: there, all is rewritten', () => {
    expect(answered(section(`${S}/a`, S), [`${S}/a`], 'list')).toBe(section(`${H}/a`, H));
  });

  it('are all that ever changes, whatever the files hold', () => {
    const bit = fc.constantFrom('\n---\n', `${S}/a`, `${S}/b`, ':\n', ': Error - ', '\n', 'x', '---');
    const content = fc.array(bit, { maxLength: 8 }).map((bits) => bits.join(''));
    const file = fc.record({ name: fc.constantFrom('a', 'b', 'a:\nb'), content, fails: fc.boolean() });
    fc.assert(
      fc.property(fc.array(file, { minLength: 1, maxLength: 3 }), (files) => {
        const said = (root: (index: number) => string): string =>
          joined(
            ...files.map(({ name, content: text, fails }, index) => {
              const path = `${root(index)}/${name}`;
              return fails ? failure(path, 'why') : section(path, text);
            }),
          );
        const possible = Array.from({ length: 2 ** files.length }, (_, mask) =>
          said((index) => ((mask >> index) & 1 ? H : S)),
        );
        const got = answered(
          said(() => S),
          files.map(({ name }) => `${S}/${name}`),
        );
        expect(possible).toContain(got);
      }),
      { numRuns: 500 },
    );
  });
});
