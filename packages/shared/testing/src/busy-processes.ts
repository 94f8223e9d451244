import { fileURLToPath } from 'node:url';
import { ScriptProcess } from './script-process.ts';

const WRITER = fileURLToPath(new URL('../scripts/writer.mjs', import.meta.url));
const EDITOR = fileURLToPath(new URL('../scripts/editor.mjs', import.meta.url));

/**
 * Writes into `folder` until it is killed: `replaced.txt` by renaming, `appended.txt` at its end. Every line of both ends with
 * the number it begins with. Resolves when it has written once.
 */
export async function startWriter(folder: string, pauseMs: number): Promise<ScriptProcess> {
  return await started(new ScriptProcess(WRITER, folder, pauseMs.toString()));
}

/** What an editor is told to do, as a line of JSON; it answers `saved`. */
export interface EditorSave {
  readonly path: string;
  readonly content: string;
  /** `rename`: a temporary file takes the place of the old one; `in-place`: truncated, then written. */
  readonly how: 'rename' | 'in-place';
  /** Begins to count when there is something whose path begins so; null: at once. */
  readonly waitsFor: string | null;
  readonly delayMs: number;
}

export async function startEditor(): Promise<ScriptProcess> {
  return await started(new ScriptProcess(EDITOR));
}

async function started(script: ScriptProcess): Promise<ScriptProcess> {
  const line = await script.nextLine();
  if (line !== 'ready') throw new Error(`a script began with ${JSON.stringify(line)}`);
  return script;
}
