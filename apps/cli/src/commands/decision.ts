import { ENDING_SIGNALS } from '../progress.ts';
import type { Terminal } from '../terminal.ts';

export type Decision = 'apply' | 'keep' | 'discard';

/** Asks what is to become of changes. Whoever does not answer (Ctrl-C, end of input, a signal) keeps them. */
export async function askDecision({ hasUnicode }: Terminal): Promise<Decision> {
  if (!hasUnicode) process.env['TERM'] = 'linux'; // all that clack looks at when it chooses its symbols
  const { isCancel, select } = await import('@clack/prompts');
  const unanswered = new AbortController();
  const stop = (): void => unanswered.abort();
  for (const signal of ENDING_SIGNALS) process.on(signal, stop);
  process.stdin.once('end', stop).on('keypress', stopAtEndOfInput);
  try {
    const answer = await select<Decision>({
      message: 'What is to become of these changes?',
      options: [
        { value: 'apply', label: 'Apply', hint: 'take them into the project' },
        { value: 'keep', label: 'Keep', hint: 'leave them in the sandbox for later' },
        { value: 'discard', label: 'Discard', hint: 'remove the sandbox; the work is kept for 30 days' },
      ],
      output: process.stderr,
      signal: unanswered.signal,
    });
    return isCancel(answer) ? 'keep' : answer;
  } finally {
    for (const signal of ENDING_SIGNALS) process.off(signal, stop);
    process.stdin.off('end', stop).off('keypress', stopAtEndOfInput);
  }

  /** Ctrl-D closes clack's input without an answer. */
  function stopAtEndOfInput(_text: string | undefined, key: { name?: string; ctrl?: boolean }): void {
    if (key.ctrl === true && key.name === 'd') stop();
  }
}
