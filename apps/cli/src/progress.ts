import type { SandboxProgress } from '@cleveragents/sandbox-ports';
import type { Terminal } from './terminal.ts';

const SHOW_AFTER_MS = 500;

const WORDS: Readonly<Record<string, string>> = {
  clone: 'Making the sandbox',
  scan: 'Looking for changes',
  merge: 'Merging',
  apply: 'Applying',
  restore: 'Restoring',
  remove: 'Removing the sandbox',
};

/**
 * Runs `work` and, when it takes longer than half a second on a terminal, says on standard error how far it is.
 * Ctrl-C aborts it through the signal.
 */
export async function withProgress<T>(
  terminal: Terminal,
  what: string,
  work: (options: { signal: AbortSignal; onProgress: (progress: SandboxProgress) => void }) => Promise<T>,
): Promise<T> {
  const interruption = new AbortController();
  const interrupt = (): void => interruption.abort();
  process.once('SIGINT', interrupt);
  process.once('SIGTERM', interrupt);
  let text = what;
  let show: ((text: string) => void) | undefined;
  let stop = (): void => undefined;
  const timer = setTimeout(() => {
    if (!terminal.isInteractive) return;
    void import('ora').then(({ default: ora }) => {
      if (interruption.signal.aborted || finished) return;
      const spinner = ora({ text, stream: process.stderr, discardStdin: false }).start();
      show = (next) => (spinner.text = next);
      stop = () => void spinner.stop();
    });
  }, SHOW_AFTER_MS);
  let finished = false;
  try {
    return await work({
      signal: interruption.signal,
      onProgress: (progress) => {
        text = describe(what, progress);
        show?.(text);
      },
    });
  } finally {
    finished = true;
    clearTimeout(timer);
    stop();
    process.off('SIGINT', interrupt);
    process.off('SIGTERM', interrupt);
  }
}

function describe(what: string, { phase, done, total }: SandboxProgress): string {
  const words = WORDS[phase] ?? what;
  return total === null ? `${words}: ${done} files` : `${words}: ${done} of ${total} files`;
}
