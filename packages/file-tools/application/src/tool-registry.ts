import type { ToolResult } from '@cleveragents/file-tools-domain';
import { failed, failureOf, FileToolError } from '@cleveragents/file-tools-domain';
import type { AgentTool, ToolCall } from '@cleveragents/file-tools-ports';

/** The tools that an agent may call, by name. */
export class ToolRegistry {
  readonly #tools = new Map<string, AgentTool>();

  /** @throws FileToolError `TOOL_ALREADY_REGISTERED` */
  register(tool: AgentTool): void {
    if (this.#tools.has(tool.name))
      throw new FileToolError(
        'TOOL_ALREADY_REGISTERED',
        `There is a tool ${JSON.stringify(tool.name)} already`,
      );
    this.#tools.set(tool.name, tool);
  }

  get(name: string): AgentTool | undefined {
    return this.#tools.get(name);
  }

  has(name: string): boolean {
    return this.#tools.has(name);
  }

  /** In the order in which they were registered. */
  list(): readonly AgentTool[] {
    return [...this.#tools.values()];
  }

  /** Never rejects: an unknown name and a tool that throws are failures too. */
  async execute(name: string, input: unknown, call?: ToolCall): Promise<ToolResult> {
    const tool = this.#tools.get(name);
    if (tool === undefined)
      return failed(
        'TOOL_UNKNOWN',
        `There is no tool ${JSON.stringify(name)}`,
        `Use one of: ${[...this.#tools.keys()].join(', ')}`,
      );
    try {
      return await tool.execute(input, call);
    } catch (error) {
      return failureOf(error);
    }
  }
}
