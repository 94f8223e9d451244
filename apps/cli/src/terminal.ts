import { stripVTControlCharacters } from 'node:util';
import { hasCode } from '@cleveragents/shared-kernel';
import pc from 'picocolors';
import { ExitCode } from './exit-codes.ts';

/** Where a command reads and writes. Results go to `out`, everything else to `error`, so that a pipe gets results alone. */
export interface Terminal {
  /** Bytes are written as they are. */
  out(text: string | Uint8Array): void;
  error(text: string): void;
  /** Somebody is there to answer: prompts and spinners make sense. */
  readonly isInteractive: boolean;
  /** Results go to a terminal, which would act on control characters. */
  readonly showsOutput: boolean;
  readonly columns: number;
  /** The locale can show box-drawing characters and check marks. */
  readonly hasUnicode: boolean;
  readonly colours: ReturnType<typeof pc.createColors>;
}

const DEFAULT_COLUMNS = 80;

export function processTerminal(environment: NodeJS.ProcessEnv = process.env): Terminal {
  const { stdin, stdout, stderr } = process;
  surviveBrokenOutput();
  return {
    out: (text) => void (stdout.destroyed || stdout.write(text)),
    error: (text) =>
      void (stderr.destroyed || stderr.write(stderr.isTTY ? text : stripVTControlCharacters(text))),
    isInteractive: stdin.isTTY && stderr.isTTY && environment['CI'] === undefined,
    showsOutput: stdout.isTTY,
    columns: stdout.columns ?? DEFAULT_COLUMNS,
    hasUnicode: isUnicodeLocale(environment),
    colours: pc.createColors(pc.isColorSupported && stdout.isTTY),
  };
}

/**
 * A reader that went away (`| head`) ends nothing that was begun. Output that is lost for another reason is said, and
 * told by the exit code.
 */
function surviveBrokenOutput(): void {
  process.stderr.on('error', () => undefined); // nobody is left to tell
  let isLost = false;
  process.stdout.on('error', (error) => {
    if (isLost || hasCode(error, 'EPIPE')) return;
    isLost = true;
    process.stderr.write(`error: The output could not be written: ${error.message}\n`);
    process.on('exit', () => {
      process.exitCode = Number(process.exitCode ?? 0) || ExitCode.FAULT;
    });
  });
}

/** What the locale's character encoding is, by the order in which POSIX reads the variables. */
export function isUnicodeLocale(environment: NodeJS.ProcessEnv): boolean {
  const locale = environment['LC_ALL'] || environment['LC_CTYPE'] || environment['LANG'] || '';
  return /utf-?8/i.test(locale);
}
