import type { ToolInvocation, ToolProvider } from '@cleveragents/mcp-ports';

export const ECHO = {
  name: 'echo',
  title: 'Echo',
  description: 'Answers its input.',
  inputSchema: { type: 'object' },
  outputSchema: { type: 'object' },
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
} as const;

/** Offers one tool, which answers its input. */
export function echoProvider(): ToolProvider {
  return {
    instructions: 'Call echo.',
    listTools: () => ({ tools: [ECHO] }),
    callTool: (_name, input) =>
      Promise.resolve({
        content: [{ type: 'text', text: JSON.stringify(input) }],
        structuredContent: input,
        isError: false,
      }),
    resources: [],
    readResource: () => Promise.reject(new Error('There are none')),
  };
}

/** Offers one tool, which says three words and then waits until it is cancelled. */
export class WaitingProvider implements ToolProvider {
  readonly instructions = '';
  readonly resources = [];
  readonly #begun: ((invocation: ToolInvocation) => void)[] = [];

  /** The next call that has said its words. */
  next(): Promise<ToolInvocation> {
    return new Promise((resolve) => this.#begun.push(resolve));
  }

  listTools(): ReturnType<ToolProvider['listTools']> {
    return { tools: [{ ...ECHO, name: 'wait' }] };
  }

  async callTool(
    _name: string,
    _input: unknown,
    invocation: ToolInvocation,
  ): ReturnType<ToolProvider['callTool']> {
    for (const words of ['one', 'two', 'three']) invocation.onProgress?.(words);
    const cancelled = new Promise((resolve) => invocation.signal.addEventListener('abort', resolve));
    this.#begun.shift()?.(invocation);
    await cancelled;
    return { content: [], structuredContent: {}, isError: false };
  }

  readResource(): Promise<never> {
    return Promise.reject(new Error('There are none'));
  }
}
