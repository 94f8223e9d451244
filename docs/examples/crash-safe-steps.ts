import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { rename } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openJournal, withDirectoryLock, writeFileAtomically } from '@cleveragents/shared-adapter-fs';

const folder = mkdtempSync(join(tmpdir(), 'crash-safe-'));
// #region example
const journal = openJournal(join(folder, 'journal'));

await withDirectoryLock(join(folder, 'lock'), async () => {
  for (const unfinished of await journal.pending()) {
    // Left by a process that was killed: its payload, steps and folder say what to undo.
    await unfinished.complete();
  }
  const file = join(folder, 'notes.txt');
  await writeFileAtomically(file, 'old');

  const entry = await journal.begin('replace', { file });
  await entry.record({ settingAside: file });
  await rename(file, join(entry.folder, 'old'));
  await writeFileAtomically(file, 'new');
  await entry.complete(); // from here on there is nothing to undo
});
// #endregion
console.log(readdirSync(folder).sort()); // ['journal', 'notes.txt']
rmSync(folder, { recursive: true });
