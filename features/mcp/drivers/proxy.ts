import { channelPair, McpProxy } from '@cleveragents/mcp-application';
import { isCall } from '@cleveragents/mcp-domain';
import type { MessageChannel } from '@cleveragents/mcp-ports';
import type { Fields, PathRewritingDriver, ProjectNames } from '../driver.ts';
import { Mailbox } from './mailbox.ts';

const TOOL = 'some_tool';

/** An agent and a tool that speak MCP, with the proxy between them. */
export class ProxyDriver implements PathRewritingDriver {
  readonly name = 'proxy';
  readonly #toAgent = new Mailbox();
  readonly #toTool = new Mailbox();
  #agent: MessageChannel | undefined;
  #tool: MessageChannel | undefined;
  #id = 0;
  #answered = 0;

  async start({ host, sandbox }: ProjectNames): Promise<void> {
    const [agent, client] = channelPair();
    const [server, tool] = channelPair();
    await Promise.all([agent.start(this.#toAgent), tool.start(this.#toTool)]);
    void new McpProxy({ client, server, paths: { hostRoot: host, sandboxRoot: sandbox } }).run();
    this.#agent = agent;
    this.#tool = tool;
  }

  async call(toolArguments: Fields): Promise<Fields> {
    this.#id += 1;
    const params = { name: TOOL, arguments: toolArguments };
    await this.#agent?.send({ jsonrpc: '2.0', id: this.#id, method: 'tools/call', params });
    const message = await this.#toTool.next();
    if (!isCall(message)) throw new Error('The tool was answered, not called');
    return (message.params as { arguments: Fields }).arguments;
  }

  async answer(structuredContent: Fields): Promise<Fields> {
    if (this.#answered === this.#id) await this.call({});
    this.#answered = this.#id;
    await this.#tool?.send({ jsonrpc: '2.0', id: this.#id, result: { content: [], structuredContent } });
    const message = await this.#toAgent.next();
    if (isCall(message)) throw new Error('The agent was called, not answered');
    return (message.result as { structuredContent: Fields }).structuredContent;
  }

  async stop(): Promise<void> {
    await this.#agent?.close();
  }
}
