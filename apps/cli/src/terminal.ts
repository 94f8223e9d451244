import pc from 'picocolors';

/** Where a command reads and writes. Results go to `out`, everything else to `error`, so that a pipe gets results alone. */
export interface Terminal {
  out(text: string): void;
  error(text: string): void;
  /** Somebody is there to answer: prompts and spinners make sense. */
  readonly isInteractive: boolean;
  readonly columns: number;
  /** The locale can show box-drawing characters and check marks. */
  readonly hasUnicode: boolean;
  readonly colours: ReturnType<typeof pc.createColors>;
}

const DEFAULT_COLUMNS = 80;

export function processTerminal(environment: NodeJS.ProcessEnv = process.env): Terminal {
  const hasColour = pc.isColorSupported && process.stdout.isTTY === true;
  return {
    out: (text) => void process.stdout.write(text),
    error: (text) => void process.stderr.write(text),
    isInteractive:
      process.stdin.isTTY === true && process.stderr.isTTY === true && environment['CI'] === undefined,
    columns: process.stdout.columns ?? DEFAULT_COLUMNS,
    hasUnicode: isUnicodeLocale(environment),
    colours: pc.createColors(hasColour && environment['NO_COLOR'] === undefined),
  };
}

/** What the locale's character encoding is, by the order in which POSIX reads the variables. */
export function isUnicodeLocale(environment: NodeJS.ProcessEnv): boolean {
  const locale = environment['LC_ALL'] || environment['LC_CTYPE'] || environment['LANG'] || '';
  return /utf-?8/i.test(locale);
}
