import { spawn } from 'node:child_process';
import { createServer, request } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';

const require = createRequire(import.meta.url);
const SUITE = join(
  dirname(require.resolve('@modelcontextprotocol/conformance/package.json')),
  'dist/index.js',
);

/** The official suite knows no tokens: what it says passes through here unchanged, with the token. */
export async function withToken<T>(url: URL, token: string, work: (url: string) => Promise<T>): Promise<T> {
  const gate = createServer((asked, answer) => {
    const { method, url: path } = asked;
    const headers = { ...asked.headers, authorization: `Bearer ${token}` };
    const passed = request({ host: url.hostname, port: url.port, method, path, headers }, (response) => {
      answer.writeHead(response.statusCode ?? 500, response.headers);
      response.pipe(answer);
    });
    passed.on('error', () => answer.destroy());
    answer.on('close', () => passed.destroy());
    asked.pipe(passed);
  });
  await new Promise<void>((resolve) => gate.listen(0, '127.0.0.1', resolve));
  try {
    return await work(`http://localhost:${(gate.address() as AddressInfo).port}${url.pathname}`);
  } finally {
    gate.closeAllConnections();
    await new Promise((resolve) => gate.close(resolve));
  }
}

/** What the suite says of a server: the scenarios that failed, each with the reasons. `folder` is for its records. */
export async function failuresOf(
  scenarios: readonly string[],
  url: string,
  folder: string,
): Promise<Readonly<Record<string, string>>> {
  const results = await Promise.all(
    scenarios.map(async (scenario) => [scenario, await failureOf(scenario, url, folder)] as const),
  );
  return Object.fromEntries(results.flatMap(([scenario, said]) => (said === null ? [] : [[scenario, said]])));
}

function failureOf(scenario: string, url: string, folder: string): Promise<string | null> {
  const suite = spawn(process.execPath, [SUITE, 'server', '--url', url, '--scenario', scenario], {
    cwd: folder,
    env: { ...process.env, NODE_OPTIONS: '' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let said = '';
  for (const output of [suite.stdout, suite.stderr]) output.on('data', (text: Buffer) => (said += text));
  return new Promise((resolve) => suite.once('close', (code) => resolve(code === 0 ? null : said)));
}
