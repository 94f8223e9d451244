import {
  type OfferedResources,
  type OfferedTool,
  type ResourceBody,
  type ResourceLink,
  type ToolAnswer,
  type ToolDescription,
  type ToolInvocation,
  type ToolOutcome,
  type ToolPage,
  type ToolProvider,
  ToolProviderError,
} from '@cleveragents/mcp-ports';
import { CodedError, messageOf, ValidationError } from '@cleveragents/shared-kernel';

export interface McpToolServerOptions {
  readonly tools: readonly OfferedTool[];
  /** What links in answers lead to. */
  readonly resources?: readonly OfferedResources[];
  /** For the model: how the tools are meant to be used. */
  readonly instructions?: string;
  /** How many tools a list names at once. Default: 50. */
  readonly pageSize?: number;
}

/** Where a failure's code is, for programs, in the `_meta` of an answer. */
export const FAILURE_META_KEY = 'cleveragents/error';

const TOOL_NAME = /^[A-Za-z0-9_-]{1,64}$/;

/** Offers tools to MCP clients: lists them, calls them, and words their answers. */
export class McpToolServer implements ToolProvider {
  readonly instructions: string;
  readonly resources: readonly OfferedResources[];
  readonly #tools: ReadonlyMap<string, OfferedTool>;
  readonly #names: readonly string[];
  readonly #pageSize: number;

  /** @throws ValidationError for a name that MCP does not allow, or that two tools have. */
  constructor({ tools, resources = [], instructions = '', pageSize = 50 }: McpToolServerOptions) {
    if (!Number.isInteger(pageSize) || pageSize < 1)
      throw new ValidationError('page_size must be a whole number from 1 on');
    for (const { name } of tools)
      if (!TOOL_NAME.test(name))
        throw new ValidationError(`tool name ${JSON.stringify(name)} is not allowed by MCP`);
    this.#tools = new Map(tools.map((tool) => [tool.name, tool]));
    if (this.#tools.size < tools.length) throw new ValidationError('two tools have the same name');
    this.#names = [...this.#tools.keys()].sort();
    this.instructions = instructions;
    this.resources = resources;
    this.#pageSize = pageSize;
  }

  listTools(cursor?: string): ToolPage {
    const start = cursor === undefined ? 0 : this.#placeOf(cursor);
    const names = this.#names.slice(start, start + this.#pageSize);
    const last = names.at(-1);
    const tools = names.flatMap((name) => this.#tools.get(name) ?? []).map(descriptionOf);
    const hasMore = start + this.#pageSize < this.#names.length;
    return { tools, ...(hasMore && last !== undefined && { nextCursor: last }) };
  }

  async callTool(
    name: string,
    input: Readonly<Record<string, unknown>>,
    invocation: ToolInvocation,
  ): Promise<ToolAnswer> {
    const tool = this.#tools.get(name);
    if (tool === undefined)
      throw new ToolProviderError('MCP_TOOL_UNKNOWN', `There is no tool ${JSON.stringify(name)}`, {
        hint: `Use one of: ${this.#names.join(', ')}`,
        data: { name },
      });
    return answerOf(await outcomeOf(tool, input, invocation));
  }

  async readResource(uri: string, invocation: ToolInvocation): Promise<ResourceBody> {
    for (const offered of this.resources) {
      const body = await offered.read(uri, invocation);
      if (body !== undefined) return body;
    }
    throw new ToolProviderError('MCP_RESOURCE_UNKNOWN', `There is no resource ${JSON.stringify(uri)}`, {
      hint: `Use one of: ${this.resources.map((offered) => offered.uri).join(', ') || 'none'}`,
      data: { uri },
    });
  }

  /** A cursor is the last name of the page before: it stays right when tools come and go. */
  #placeOf(cursor: string): number {
    const place = this.#names.indexOf(cursor);
    if (place < 0)
      throw new ToolProviderError('MCP_CURSOR_UNKNOWN', 'The cursor was not given out by this server', {
        hint: 'List from the beginning.',
      });
    return place + 1;
  }
}

function descriptionOf(tool: OfferedTool): ToolDescription {
  const { name, title, description, inputSchema, outputSchema, annotations } = tool;
  return { name, title, description, inputSchema, outputSchema, annotations };
}

async function outcomeOf(
  tool: OfferedTool,
  input: Readonly<Record<string, unknown>>,
  invocation: ToolInvocation,
): Promise<ToolOutcome> {
  try {
    invocation.signal.throwIfAborted();
    return await tool.call(input, invocation);
  } catch (thrown) {
    if (invocation.signal.aborted) return failure('CANCELLED', 'The call was cancelled');
    if (!(thrown instanceof CodedError))
      return failure(
        'INTERNAL',
        `The tool failed: ${messageOf(thrown)}`,
        'This is a fault of the tool: please report it.',
      );
    return failure(thrown.code, thrown.message, thrown.hint);
  }
}

function failure(code: string, message: string, hint?: string): ToolOutcome {
  return { success: false, error: { code, message, ...(hint !== undefined && { hint }) } };
}

/** A failure has no structured content: clients check that against the schema of what a success looks like. */
function answerOf(outcome: ToolOutcome): ToolAnswer {
  const links = (outcome.links ?? []).map(linkBlock);
  if (outcome.success)
    return {
      content: [{ type: 'text', text: JSON.stringify(outcome.output) }, ...links],
      structuredContent: outcome.output,
      isError: false,
    };
  const { code, message, hint } = outcome.error;
  const text = `${code}: ${message}${hint === undefined ? '' : `\n${hint}`}`;
  return {
    content: [{ type: 'text', text }, ...links],
    isError: true,
    _meta: { [FAILURE_META_KEY]: outcome.error },
  };
}

function linkBlock(link: ResourceLink): ToolAnswer['content'][number] {
  return { type: 'resource_link', ...link };
}
