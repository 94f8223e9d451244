import pc from 'picocolors';
import type { Terminal } from '../src/terminal.ts';

/** A terminal that keeps what is written to it. */
export class RecordingTerminal implements Terminal {
  readonly isInteractive = false;
  readonly showsOutput = false;
  readonly columns: number;
  readonly hasUnicode: boolean;
  readonly colours = pc.createColors(false);
  output = '';
  errors = '';

  constructor({ columns = 80, hasUnicode = true }: { columns?: number; hasUnicode?: boolean } = {}) {
    this.columns = columns;
    this.hasUnicode = hasUnicode;
  }

  out(text: string | Uint8Array): void {
    this.output += typeof text === 'string' ? text : Buffer.from(text).toString('utf8');
  }

  error(text: string): void {
    this.errors += text;
  }
}
