import { expect, it } from '@jest/globals';
import { ChildProcessChannel, type ChildProcessChannelOptions } from '@cleveragents/mcp-adapter-sdk';
import { Inbox } from './support/inbox.ts';

const PING = { jsonrpc: '2.0', id: 1, method: 'ping' } as const;
const note = (text: string): object => ({ jsonrpc: '2.0', method: 'notifications/x', params: { text } });

async function running(
  script: string,
  options: Partial<ChildProcessChannelOptions> = {},
): Promise<{ readonly channel: ChildProcessChannel; readonly inbox: Inbox }> {
  const channel = new ChildProcessChannel({ command: [process.execPath, '-e', script], ...options });
  const inbox = new Inbox();
  await channel.start(inbox);
  return { channel, inbox };
}

const says = (text: string): string => `process.stdout.write(${JSON.stringify(text)});`;

it('says that a command could not be started, and never that it ended', async () => {
  const channel = new ChildProcessChannel({ command: ['/nowhere/mcp-server'] });
  await expect(channel.start(new Inbox())).rejects.toMatchObject({
    code: 'MCP_CHANNEL_FAILED',
    message: expect.stringContaining('/nowhere/mcp-server'),
    cause: { code: 'ENOENT' },
  });
  await channel.close();
});

it('gives the arguments to the program as they are: no shell reads them', async () => {
  const script = 'console.log(JSON.stringify({jsonrpc:"2.0",method:"x",params:process.argv.slice(1)}))';
  const args = ['$HOME', '; echo', "'", '"', '*', ''];
  const channel = new ChildProcessChannel({ command: [process.execPath, '-e', script, '--', ...args] });
  const inbox = new Inbox();
  await channel.start(inbox);
  expect(await inbox.next()).toMatchObject({ params: args });
  await channel.close();
});

it('delivers the last words of a server that fails, then says how it ended', async () => {
  const { channel, inbox } = await running(
    `${says(`${JSON.stringify(note('last'))}\n`)} process.exitCode = 7`,
  );
  expect(await inbox.next()).toEqual(note('last'));
  expect(await inbox.closed).toMatchObject({
    code: 'MCP_CHANNEL_FAILED',
    data: { exitCode: 7, signal: null },
  });
  expect(await channel.exited).toEqual({ exitCode: 7, signal: null });
  await expect(channel.send(PING)).rejects.toMatchObject({ code: 'MCP_CHANNEL_CLOSED' });
});

it('says which signal ended a server', async () => {
  const { channel, inbox } = await running('process.kill(process.pid, "SIGKILL")');
  expect(await inbox.closed).toMatchObject({ data: { exitCode: null, signal: 'SIGKILL' } });
  expect(await channel.exited).toEqual({ exitCode: null, signal: 'SIGKILL' });
});

it('passes a signal on', async () => {
  const { channel, inbox } = await running(
    `process.on('SIGTERM', () => process.exit(9)); process.stdin.resume(); ${says(`${JSON.stringify(note('up'))}\n`)}`,
  );
  await inbox.next();
  channel.signal('SIGTERM');
  expect(await channel.exited).toEqual({ exitCode: 9, signal: null });
});

it('makes a server go that does not want to, and calls that no failure', async () => {
  const stubborn = `process.on('SIGTERM', () => undefined); setInterval(() => undefined, 1000); ${says(`${JSON.stringify(note('up'))}\n`)}`;
  const { channel, inbox } = await running(stubborn, { patienceMs: 20 });
  await inbox.next();
  await channel.close();
  expect(await channel.exited).toEqual({ exitCode: null, signal: 'SIGKILL' });
  expect(await inbox.closed).toBeUndefined();
});

it('does not wait for a process that the server left behind with its output', async () => {
  const helper = `setTimeout(() => undefined, 100000)`;
  const { channel, inbox } = await running(
    `const helper = require('node:child_process').spawn(process.execPath, ['-e', ${JSON.stringify(helper)}], { stdio: 'inherit' });
     console.log(JSON.stringify({ jsonrpc: '2.0', method: 'helper', params: { pid: helper.pid } }));
     process.stdin.once('data', () => process.exit(0)); `,
  );
  const { params } = (await inbox.next()) as unknown as { readonly params: { readonly pid: number } };
  await channel.send(PING);
  expect(await channel.exited).toEqual({ exitCode: 0, signal: null });
  process.kill(params.pid, 'SIGKILL');
});

it('leaves out lines that are no messages, says so, and goes on', async () => {
  const lines = [
    'Server is starting',
    '{"jsonrpc":"1.0","method":"x"}',
    '[1]',
    '',
    ' \r',
    JSON.stringify(note('a')),
  ];
  const { channel, inbox } = await running(says(`${lines.join('\n')}\r\n`));
  expect(await inbox.next()).toEqual(note('a'));
  await inbox.closed;
  expect(inbox.troubles.map(({ code }) => code)).toEqual(Array(3).fill('MCP_CHANNEL_UNREADABLE'));
  expect(inbox.troubles[0]?.message).toContain('"Server is starting"');
  await channel.close();
});

it('reads the messages of a batch one by one, and a last line without an end', async () => {
  const { channel, inbox } = await running(
    says(`${JSON.stringify([note('a'), note('b')])}\n${JSON.stringify(note('c'))}`),
  );
  expect([await inbox.next(), await inbox.next(), await inbox.next()]).toEqual(['a', 'b', 'c'].map(note));
  await channel.close();
});

it('ends a server that never ends its line', async () => {
  const { channel, inbox } = await running(
    `setInterval(() => undefined, 1000); process.stdout.on('error', () => undefined); ${says('x'.repeat(200))}`,
    { maxMessageBytes: 100, patienceMs: 20 },
  );
  expect(await inbox.closed).toMatchObject({ code: 'MCP_CHANNEL_FAILED', data: { maxBytes: 100 } });
  await channel.close();
});

it('refuses what is no JSON, and carries on', async () => {
  const echo = 'process.stdin.pipe(process.stdout)';
  const { channel, inbox } = await running(echo);
  await expect(channel.send({ ...PING, params: { n: 1n } })).rejects.toThrow(TypeError);
  await channel.send(PING);
  expect(await inbox.next()).toEqual(PING);
  await channel.close();
});
