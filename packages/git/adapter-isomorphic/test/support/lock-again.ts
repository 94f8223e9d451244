// Replaces a file under its lock, three times: node lock-again FILE. Says the code of each failure, or `done`.
import { acquireLockFile } from '../../src/lock-file.ts';

const [file = ''] = process.argv.slice(2);
const outcomes: string[] = [];
for (const content of ['first\n', 'second\n', 'third\n'])
  try {
    const lock = await acquireLockFile(file);
    try {
      await lock.write(Buffer.from(content));
      await lock.commit();
    } finally {
      await lock.release();
    }
    outcomes.push('done');
  } catch (error) {
    outcomes.push(String((error as { code?: unknown }).code));
  }
process.stdout.write(JSON.stringify(outcomes));
