import type { ToolResult } from '@cleveragents/file-tools-domain';

/** JSON Schema, draft 2020-12. */
export type JsonSchema = Readonly<Record<string, unknown>>;

export interface ToolCall {
  /** Ends the call early: the answer is then a failure `CANCELLED`, and nothing is half done. */
  readonly signal?: AbortSignal | undefined;
}

export interface AgentTool {
  /** Unique in a registry: `builtin/file-read`. */
  readonly name: string;
  readonly title: string;
  /** For the model that chooses among tools. */
  readonly description: string;
  /** Valid input never fails with `INTERNAL` or `INPUT_INVALID` for its shape. */
  readonly inputSchema: JsonSchema;
  readonly outputSchema: JsonSchema;
  readonly annotations: {
    /** Changes nothing. */
    readonly readOnly: boolean;
    /** May destroy what was there. */
    readonly destructive: boolean;
    /** Twice is as good as once. */
    readonly idempotent: boolean;
  };
  /** Never rejects for what its caller did: wrong input, missing files and refusals are failures with a code. */
  execute(input: unknown, call?: ToolCall): Promise<ToolResult>;
}
