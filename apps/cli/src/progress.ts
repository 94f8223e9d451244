import type { SandboxProgress } from '@cleveragents/sandbox-ports';
import { hasCode } from '@cleveragents/shared-kernel';
import { CliError } from './cli.errors.ts';
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

export const ENDING_SIGNALS: readonly NodeJS.Signals[] = ['SIGINT', 'SIGTERM', 'SIGHUP'];

/**
 * Runs `work` and, when it takes longer than half a second on a terminal, says on standard error how far it is.
 * A signal that ends processes aborts it; what it began is undone then. A second one is not waited for.
 * @throws CliError `CLI_INTERRUPTED`.
 */
export async function withProgress<T>(
  terminal: Terminal,
  what: string,
  work: (options: { signal: AbortSignal; onProgress: (progress: SandboxProgress) => void }) => Promise<T>,
): Promise<T> {
  const interruption = new AbortController();
  const interrupt = (signal: NodeJS.Signals): void => interruption.abort(signal);
  for (const signal of ENDING_SIGNALS) process.once(signal, interrupt);
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
        text = progressWords(what, progress);
        show?.(text);
      },
    });
  } catch (error) {
    const { aborted, reason } = interruption.signal;
    if (!aborted || (error !== reason && !hasCode(error, 'SANDBOX_ABORTED', 'GIT_ABORTED'))) throw error;
    throw interrupted(what, reason as NodeJS.Signals, error);
  } finally {
    finished = true;
    clearTimeout(timer);
    stop();
    for (const signal of ENDING_SIGNALS) process.off(signal, interrupt);
  }
}

function interrupted(what: string, signal: NodeJS.Signals, cause: unknown): CliError {
  return new CliError('CLI_INTERRUPTED', `${what}: interrupted by ${signal}`, {
    hint: 'What it had begun was undone.',
    data: { signal },
    cause,
  });
}

/** In words, for people and clients. `what` names a phase that has no words of its own. */
export function progressWords(what: string, { phase, done, total }: SandboxProgress): string {
  const words = WORDS[phase] ?? what;
  return total === null ? `${words}: ${done} files` : `${words}: ${done} of ${total} files`;
}
