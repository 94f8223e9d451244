/** JSON Schema, draft 2020-12, of an object. */
export type ToolSchema = Readonly<Record<string, unknown>> & { readonly type: 'object' };

/** What a client may know of a tool before it calls it. All four are said, so that nobody has to guess. */
export interface ToolHints {
  readonly readOnlyHint: boolean;
  readonly destructiveHint: boolean;
  readonly idempotentHint: boolean;
  /** Reaches beyond what the server is for: the network, other programs. */
  readonly openWorldHint: boolean;
}

/** A tool as a client sees it. */
export interface ToolDescription {
  /** Letters, digits, `_` and `-` alone. */
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly inputSchema: ToolSchema;
  readonly outputSchema: ToolSchema;
  readonly annotations: ToolHints;
}

export interface ToolInvocation {
  /** Aborted when the client cancels the call, or has gone. */
  readonly signal: AbortSignal;
  /** Says in words how far the call is. Absent when the client does not want to know. */
  readonly onProgress?: ((words: string) => void) | undefined;
}

/** Something that a client can read by itself: what is too large for an answer, or no text. */
export interface ResourceLink {
  readonly uri: string;
  readonly name: string;
  readonly mimeType?: string;
  /** In bytes. */
  readonly size?: number;
}

export type ToolOutcome = (
  | { readonly success: true; readonly output: Readonly<Record<string, unknown>> }
  | {
      readonly success: false;
      readonly error: { readonly code: string; readonly message: string; readonly hint?: string };
    }
) & { readonly links?: readonly ResourceLink[] };

/** A tool that a server offers. */
export interface OfferedTool extends ToolDescription {
  /** What it throws becomes a failure with its code. */
  call(input: Readonly<Record<string, unknown>>, invocation: ToolInvocation): Promise<ToolOutcome>;
}

/** One page of a list. */
export interface ToolPage {
  readonly tools: readonly ToolDescription[];
  /** Asks for the next page; absent on the last one. */
  readonly nextCursor?: string;
}

/** The answer to a call, as MCP has it. */
export interface ToolAnswer {
  readonly content: readonly (
    { readonly type: 'text'; readonly text: string } | ({ readonly type: 'resource_link' } & ResourceLink)
  )[];
  readonly structuredContent?: Readonly<Record<string, unknown>>;
  readonly isError: boolean;
  readonly _meta?: Readonly<Record<string, unknown>>;
}

/** What a resource holds, as text or as base64. */
export type ResourceBody = { readonly uri: string; readonly mimeType: string } & (
  { readonly text: string } | { readonly blob: string }
);

/** Resources that a server offers beside its tools: one, or as many as a template stands for. */
export interface OfferedResources {
  /** A URI, or a template of URIs as RFC 6570 has it. */
  readonly uri: string;
  readonly isTemplate: boolean;
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly mimeType?: string;
  /** Undefined for a URI that is none of these. What it throws says why one of them cannot be read. */
  read(uri: string, invocation: ToolInvocation): Promise<ResourceBody | undefined>;
}

/** What a server of tools answers, whatever carries the questions. */
export interface ToolProvider {
  /** For the model: how the tools are meant to be used. */
  readonly instructions: string;
  /** Sorted by name. @throws ToolProviderError `MCP_CURSOR_UNKNOWN`. */
  listTools(cursor?: string): ToolPage;
  /** Never rejects for what a tool did. @throws ToolProviderError `MCP_TOOL_UNKNOWN`. */
  callTool(
    name: string,
    input: Readonly<Record<string, unknown>>,
    invocation: ToolInvocation,
  ): Promise<ToolAnswer>;
  /** What links in answers lead to. */
  readonly resources: readonly OfferedResources[];
  /** @throws ToolProviderError `MCP_RESOURCE_UNKNOWN`; CodedError, as the resource has it. */
  readResource(uri: string, invocation: ToolInvocation): Promise<ResourceBody>;
}
