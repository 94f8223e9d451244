import pc from 'picocolors';
import type { Terminal } from '../src/terminal.ts';

/** A terminal that keeps what is written to it. */
export class RecordingTerminal implements Terminal {
  readonly isInteractive = false;
  readonly columns: number;
  readonly hasUnicode: boolean;
  readonly colours = pc.createColors(false);
  output = '';
  errors = '';

  constructor({ columns = 80, hasUnicode = true }: { columns?: number; hasUnicode?: boolean } = {}) {
    this.columns = columns;
    this.hasUnicode = hasUnicode;
  }

  out(text: string): void {
    this.output += text;
  }

  error(text: string): void {
    this.errors += text;
  }
}
