import { spawnSync } from 'node:child_process';
import { afterAll, afterEach, beforeAll, beforeEach, expect } from '@jest/globals';
import {
  createRepository,
  hermeticGitEnvironment,
  temporaryDirectory,
  type TemporaryDirectory,
  type TemporaryRepository,
} from '@cleveragents/shared-testing';
import { bundledCli } from './bundled-cli.ts';
import { type AnyClient, CLIENT_V2_MODERN, type ClientKind, type ToolAnswer } from './mcp-clients.ts';

type Fields = Readonly<Record<string, unknown>>;

/** A project for each test, and the app as it is now. */
export interface ServingBench {
  readonly cli: readonly string[];
  readonly repository: TemporaryRepository;
  environment(): Record<string, string>;
  run(...args: readonly string[]): { readonly status: number | null; readonly errors: string };
  createPlan(id: string): void;
  /** A client of `cleveragents mcp serve`, closed after the test. */
  serve(args: readonly string[], kind?: ClientKind): Promise<AnyClient>;
}

export function useServingBench(files: Readonly<Record<string, string>>): ServingBench {
  const bundle = temporaryDirectory();
  const clients: AnyClient[] = [];
  let cli: readonly string[] = [];
  let repository: TemporaryRepository;
  let home: TemporaryDirectory;
  beforeAll(async () => {
    cli = await bundledCli(bundle.path);
  });
  afterAll(() => bundle.remove());
  beforeEach(async () => {
    home = temporaryDirectory();
    repository = await createRepository({ files });
  });
  afterEach(async () => {
    await Promise.all(clients.splice(0).map((client) => client.close()));
    await repository[Symbol.asyncDispose]();
    await home.remove();
  });
  const environment = (): Record<string, string> => {
    const inherited = Object.entries(hermeticGitEnvironment()).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, value]],
    );
    return {
      ...(Object.fromEntries(inherited) as Record<string, string>),
      NODE_OPTIONS: '',
      HOME: home.path,
      XDG_STATE_HOME: home.path,
    };
  };
  const run: ServingBench['run'] = (...args) => {
    const [node = '', ...words] = [...cli, ...args, '--project', repository.root];
    const { status, stderr } = spawnSync(node, words, { encoding: 'utf8', env: environment(), input: '' });
    return { status, errors: stderr };
  };
  return {
    get cli() {
      return cli;
    },
    get repository() {
      return repository;
    },
    environment,
    run,
    createPlan: (id) => {
      expect(run('plan', 'create', id)).toMatchObject({ status: 0 });
    },
    serve: async (args, kind = CLIENT_V2_MODERN) => {
      const [command = '', ...words] = [...cli, 'mcp', 'serve', ...args, '--project', repository.root];
      const client = await kind.connect({ command, args: words, env: environment(), roots: [] });
      clients.push(client);
      return client;
    },
  };
}

/** The structured content of a success, which its text says as well. */
export function outputOf({ isError, structuredContent, content }: ToolAnswer): Fields {
  expect({ isError: isError ?? false, content }).toMatchObject({ isError: false });
  expect(JSON.parse(content[0]?.['text'] as string)).toEqual(structuredContent);
  return structuredContent ?? {};
}

export const failsWith = (code: string): object => ({
  isError: true,
  content: expect.arrayContaining([{ type: 'text', text: expect.stringMatching(new RegExp(`^${code}: `)) }]),
});
