// Loads one module and prints, as JSON, everything that came with it:  node record-loads.mjs SPECIFIER
// Each load is { url, parent }: file: or node: URLs, of import and of require.
import { mkdtempSync, readFileSync, rmSync, appendFileSync } from 'node:fs';
import Module, { register } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const folder = mkdtempSync(join(tmpdir(), 'cleveragents-loads-'));
const log = join(folder, 'loads');

// The hook lives on a thread of its own, so it writes to a file at once: a message could come after the import is done.
const hook = `
  import { appendFileSync } from 'node:fs';
  let log;
  export const initialize = (data) => { log = data.log; };
  export async function resolve(specifier, context, next) {
    const result = await next(specifier, context);
    appendFileSync(log, JSON.stringify({ url: result.url, parent: context.parentURL }) + '\\n');
    return result;
  }`;
register(`data:text/javascript,${encodeURIComponent(hook)}`, { data: { log } });

const asUrl = (file) => {
  if (file.startsWith('node:')) return file;
  return Module.isBuiltin(file) ? `node:${file}` : pathToFileURL(file).href;
};
const load = Module._load;
Module._load = function recorded(request, parent, ...rest) {
  if (parent?.filename) {
    const url = asUrl(Module._resolveFilename(request, parent));
    appendFileSync(log, `${JSON.stringify({ url, parent: asUrl(parent.filename) })}\n`);
  }
  return load.call(this, request, parent, ...rest);
};

try {
  await import(process.argv[2]);
  const lines = readFileSync(log, 'utf8').trim().split('\n');
  process.stdout.write(`[${lines.join(',')}]`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
