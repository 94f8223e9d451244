// Code in Markdown that is a copy of a file which CI compiles and runs. Pure.
//   <!-- example: docs/examples/NAME.ts -->          the next fenced block is the whole file
//   <!-- example: docs/examples/NAME.ts#REGION -->   ... is what lies between '// #region REGION' and '// #endregion'

const MARKED = /^<!-- example: (?<path>[^\s#]+)(?:#(?<region>\S+))? -->\n+```ts\n(?<code>[\s\S]*?)^```$/gm;
const MARKER = /^<!-- example: /gm;
const REGION_LINE = /^[ \t]*\/\/ #(?:end)?region.*\n?/gm;

function regionOf(source, name, path) {
  const lines = source.split('\n');
  const start = lines.findIndex((line) => line.trim() === `// #region ${name}`);
  if (start === -1) throw new Error(`${path} has no '// #region ${name}'`);
  const length = lines.slice(start).findIndex((line) => line.trim() === '// #endregion');
  if (length === -1) throw new Error(`${path}: '// #region ${name}' has no '// #endregion'`);
  return lines.slice(start + 1, start + length).join('\n');
}

/** What a reader sees of an example. */
export function excerpt(source, region, path) {
  const text = region === undefined ? source : regionOf(source, region, path);
  return `${text.replace(REGION_LINE, '').trim()}\n`;
}

/**
 * `markdown` with each marked block as its example has it.
 *
 * @param {string} markdown
 * @param {(path: string) => string} read the text of an example, by its path from the root
 * @throws Error for a marker without a block, a missing region, or whatever `read` throws
 */
export function withExamples(markdown, read) {
  const markers = markdown.match(MARKER)?.length ?? 0;
  const blocks = markdown.match(MARKED)?.length ?? 0;
  if (markers !== blocks) throw new Error("an example's marker is not followed by a ```ts block");
  return markdown.replace(MARKED, (block, path, region, code) => {
    const head = block.slice(0, block.length - '```'.length - code.length);
    return `${head}${excerpt(read(path), region, path)}\`\`\``;
  });
}
