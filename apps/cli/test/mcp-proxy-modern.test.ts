import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { temporaryDirectory } from '@cleveragents/shared-testing';
import { bundledCli } from './support/bundled-cli.ts';
import { type ClientKind, CLIENT_V2, type ServerToStart } from './support/mcp-clients.ts';
import { HOST, proxied, type ProxiedServer } from './support/proxied-server.ts';

type Fields = Readonly<Record<string, unknown>>;

const folder = temporaryDirectory();
let cli: readonly string[];
let server: ProxiedServer | undefined;
let client: Client;
/** What the server asked, as the client heard it. */
let asked: Record<string, Fields>;

beforeAll(async () => {
  cli = await bundledCli(folder.path);
});
afterAll(() => folder.remove());
beforeEach(() => {
  asked = {};
});
afterEach(() => server?.stop());

/** An official client of revision 2026-07-28 that answers whatever it is asked. */
const answering: ClientKind = {
  name: 'answering',
  connect: async ({ args, roots, command, env }: ServerToStart) => {
    client = new Client(
      { name: 'test', version: '1.0.0' },
      {
        capabilities: { roots: {}, sampling: {}, elicitation: { form: {} } },
        versionNegotiation: { mode: 'auto' },
      },
    );
    client.setRequestHandler('roots/list', () => ({ roots: roots.map((uri) => ({ uri, name: HOST })) }));
    client.setRequestHandler('sampling/createMessage', ({ params }) => {
      asked['words'] = params;
      return { model: 'test', role: 'assistant', content: { type: 'text', text: `It is ${HOST}/from` } };
    });
    client.setRequestHandler('elicitation/create', ({ params }) => {
      asked['where'] = params;
      return { action: 'accept', content: { path: `${HOST}/chosen` } };
    });
    await client.connect(new StdioClientTransport({ command, env, args: [...args], stderr: 'ignore' }));
    const unused = (): Promise<never> => Promise.reject(new Error('The test speaks to the client itself'));
    return {
      revision: client.getNegotiatedProtocolVersion(),
      listTools: unused,
      callTool: unused,
      readResource: unused,
      closed: new Promise<void>(() => undefined),
      close: () => client.close(),
    };
  },
};

it('passes revision 2026-07-28 with host paths alone, and host paths in', async () => {
  server = await proxied('modern', { cli, kind: answering });
  expect(server.client.revision).toBe('2026-07-28');
  expect(client.getInstructions()).toBe(`The files lie in ${HOST}.`);
  expect((await client.listTools()).tools[0]).toMatchObject({
    name: 'echo',
    description: `Works on ${HOST}`,
  });
  const { sandbox, wire } = server;
  const logged = await client.callTool({ name: 'log' });
  expect(logged.structuredContent).toEqual({ path: `${HOST}/log` });
  // the official client leaves out progress that arrives together with the answer, so look at what came
  await client.callTool({ name: 'log' }, { onprogress: () => undefined });
  expect(wire()).toContain(`"message":"Reading ${HOST}/log"`);
  const { resources } = await client.listResources();
  expect(resources).toMatchObject([{ uri: `file://${HOST}/a.txt`, description: `From ${HOST}` }]);
  expect(wire()).not.toContain(sandbox);
  // the body of a resource is content, and stays as it is
  const { contents } = await client.readResource({ uri: `file://${HOST}/a.txt` });
  expect(contents).toMatchObject([{ uri: `file://${HOST}/a.txt`, text: `written in ${sandbox}` }]);
});

it('passes what a server asks back within an answer, and what the client answers within its next request', async () => {
  server = await proxied('modern', { cli, kind: answering });
  const { sandbox, wire } = server;
  const before = wire().length;
  const { structuredContent } = await client.callTool({ name: 'ask', arguments: { to: `${HOST}/to` } });
  expect(asked).toMatchObject({
    where: {
      message: `Where in ${HOST} shall it go?`,
      requestedSchema: {
        properties: { path: { title: `A path in ${HOST}`, default: `${HOST}/default` } },
      },
    },
    words: { messages: [{ content: { text: `Describe ${HOST}/from` } }] },
  });
  // the server heard its own names, its state unchanged, and what it said of them is heard in ours
  expect(structuredContent).toMatchObject({
    answers: {
      where: { action: 'accept', content: { path: `${HOST}/chosen` } },
      roots: { roots: [{ uri: `file://${HOST}`, name: HOST }] },
      words: { content: { text: `It is ${HOST}/from` } },
    },
    was: { from: `${HOST}/from`, to: `${HOST}/to` },
  });
  const said = wire().slice(before);
  expect(said.replaceAll(`"requestState":"${sandbox}/state"`, '')).not.toContain(sandbox);
});

it('leaves the revision to the client and the server: both eras, through one proxy command', async () => {
  server = await proxied('modern', { cli, kind: CLIENT_V2 });
  expect(server.client.revision).toBe('2025-11-25');
  const { structuredContent } = await server.client.callTool('echo', { path: `${HOST}/a` });
  expect(structuredContent).toEqual({ path: `${HOST}/a` });
});
