import { bundleScript } from '@cleveragents/shared-testing';

/** The version is a constant that the real bundle is built with. */
const VERSION = 'data:text/javascript,globalThis.__CLI_VERSION__="0.0.0"';

/** The words that start the app as it is now, in one file in `folder`. */
export async function bundledCli(folder: string): Promise<readonly string[]> {
  const main = new URL('../../src/main.ts', import.meta.url);
  return [process.execPath, '--import', VERSION, await bundleScript(main, folder)];
}
