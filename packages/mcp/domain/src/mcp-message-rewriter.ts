import { MAX_DEPTH } from './copy.ts';
import type { JsonRpcAnswer, JsonRpcCall } from './json-rpc.ts';
import { CALL_RULES, ERROR_RULE, RESULT_RULES, type Rule, type Scene } from './message-rules.ts';
import type { Side } from './root.ts';
import { SandboxPathRewriter, type SandboxPathRewriterOptions } from './sandbox-path-rewriter.ts';

/** What an answer is for. */
export interface AnsweredCall {
  readonly method: string;
  /** Of `tools/call`: the tool that was called. */
  readonly tool?: string | undefined;
  /** Of `tools/call` for several files at once: their paths as the tool got them. */
  readonly files?: readonly string[] | undefined;
}

/** What has to be remembered of a call, as its reader got it, to understand the answer. */
export function answeredCallOf(call: JsonRpcCall): AnsweredCall {
  const tool = calledTool(call);
  return tool === undefined
    ? { method: call.method }
    : { method: call.method, tool, files: filesOf(call.params) };
}

const LISTS_OF_FILES = ['paths', 'file_paths', 'filePaths', 'files'];

function filesOf(params: unknown): readonly string[] | undefined {
  const { arguments: toolArguments } = params as { readonly arguments?: unknown };
  if (typeof toolArguments !== 'object' || toolArguments === null) return undefined;
  const lists = LISTS_OF_FILES.map((name) => (toolArguments as Readonly<Record<string, unknown>>)[name]);
  return lists.find((list) => Array.isArray(list) && list.every((file) => typeof file === 'string')) as
    readonly string[] | undefined;
}

/**
 * Rewrites the paths of whole MCP messages, of every revision of the protocol: by method, the fields that hold paths or speak
 * of them. Ids, cursors, tokens, `requestState`, `_meta`, base64 and every method it does not know pass untouched.
 */
export class McpMessageRewriter {
  readonly #paths: SandboxPathRewriter;
  readonly #count: Record<Side, number> = { host: 0, sandbox: 0 };

  /** @throws McpPathError as {@link SandboxPathRewriter}. Keys are rewritten, too, unless `keys` says otherwise. */
  constructor(options: SandboxPathRewriterOptions) {
    this.#paths = new SandboxPathRewriter({
      ...options,
      keys: options.keys ?? true,
      onRewrite: (path) => {
        this.#count[path.to] += 1;
        options.onRewrite?.(path);
      },
    });
  }

  /** How many paths were rewritten so far, by the side that reads them. */
  get rewritten(): Readonly<Record<Side, number>> {
    return { ...this.#count };
  }

  /** @throws McpPathError as {@link SandboxPathRewriter.rewriteArguments}. */
  rewriteCall(call: JsonRpcCall, { to }: { readonly to: Side }): JsonRpcCall {
    const rule = CALL_RULES.get(call.method);
    if (rule === undefined || call.params === undefined) return call;
    return { ...call, params: this.#apply(rule, call.params, { to, tool: calledTool(call) }) };
  }

  /** @throws McpPathError as {@link SandboxPathRewriter.rewriteArguments}. */
  rewriteAnswer(answer: JsonRpcAnswer, { to, ...call }: { readonly to: Side } & AnsweredCall): JsonRpcAnswer {
    if (answer.error !== undefined)
      return { ...answer, error: this.#apply(ERROR_RULE, answer.error, { to, tool: call.tool }) };
    const rule = RESULT_RULES.get(call.method);
    if (rule === undefined || answer.result === undefined) return answer;
    const before = this.#count.host;
    const result = this.#apply(rule, answer.result, { to, tool: call.tool, files: call.files });
    return { ...answer, result: this.#count.host > before ? notShared(result) : result };
  }

  /** The sandbox paths that a message still holds, in any string or key of it that lies no deeper than rewriting reaches. */
  sandboxPathsIn(message: unknown): readonly string[] {
    const found: string[] = [];
    this.#collect(message, found, 0);
    return found;
  }

  #collect(part: unknown, found: string[], depth: number): void {
    if (typeof part === 'string') for (const path of this.#paths.sandboxPathsIn(part)) found.push(path);
    if (typeof part !== 'object' || part === null || depth > MAX_DEPTH) return;
    for (const [key, value] of Object.entries(part)) {
      if (!Array.isArray(part)) this.#collect(key, found, depth);
      this.#collect(value, found, depth + 1);
    }
  }

  #apply<T>(rule: Rule, part: T, scene: Pick<Scene, 'to' | 'tool' | 'files'>): T {
    return rule(part, { ...scene, paths: this.#paths, depth: 0 }) as T;
  }
}

/** The tool that a `tools/call` names. */
function calledTool({ method, params }: JsonRpcCall): string | undefined {
  if (method !== 'tools/call' || typeof params !== 'object' || params === null || !('name' in params))
    return undefined;
  return typeof params.name === 'string' ? params.name : undefined;
}

/** Names of this host are nothing for another host's cache. */
function notShared(result: unknown): unknown {
  if (typeof result !== 'object' || result === null || !('cacheScope' in result)) return result;
  return { ...result, cacheScope: 'private' };
}
