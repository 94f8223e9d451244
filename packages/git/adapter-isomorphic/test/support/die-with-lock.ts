import { acquireLockFile } from '../../src/lock-file.ts';

const [file = ''] = process.argv.slice(2);
await acquireLockFile(file);
process.kill(process.pid, 'SIGKILL');
