import type { ToolProvider } from '@cleveragents/mcp-ports';

const ECHO = {
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
  };
}
