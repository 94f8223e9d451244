import type { Terminal } from '../terminal.ts';
import { printable } from './text.ts';

/**
 * A patch: for a file or a pipe its bytes as they are (a file in another encoding is no UTF-8), for a terminal coloured
 * and with what the terminal would act on shown as escapes.
 */
export function renderPatch({ showsOutput, colours }: Terminal, patch: Uint8Array): string | Uint8Array {
  if (!showsOutput) return patch;
  const lines = new TextDecoder().decode(patch).split('\n');
  return lines.map((line) => paint(line)(line.split('\t').map(printable).join('\t'))).join('\n');

  function paint(line: string): (text: string) => string {
    if (/^(diff --git|---|\+\+\+|index|(new|deleted|old) )/.test(line)) return colours.bold;
    if (line.startsWith('@@')) return colours.cyan;
    if (line.startsWith('+')) return colours.green;
    return line.startsWith('-') ? colours.red : String;
  }
}
