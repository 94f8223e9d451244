import { existsSync, readFileSync } from 'node:fs';

const STATUS = '/proc/self/status';

/**
 * The most memory that this process has had, in bytes. Where the system tells, of this program alone: what `getrusage` says
 * begins with what the parent had when it forked.
 */
export function peakBytes(): number {
  const [, kibibytes] =
    /^VmHWM:\s+(\d+) kB$/m.exec(existsSync(STATUS) ? readFileSync(STATUS, 'utf8') : '') ?? [];
  return (kibibytes === undefined ? process.resourceUsage().maxRSS : Number(kibibytes)) * 1024;
}
