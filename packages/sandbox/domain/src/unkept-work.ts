import type { PathAndReason } from './commit-result.schema.ts';
import { listed } from './listing.ts';
import { SandboxError } from './sandbox.errors.ts';

/**
 * What nobody can save must not go with the sandbox.
 * @param parts of the sandbox that hold work and cannot be kept, and why.
 * @throws SandboxError `SANDBOX_CLEANUP_FAILED` unless there are none.
 */
export function assertNothingUnkept(sandboxPath: string, parts: readonly PathAndReason[]): void {
  if (parts.length === 0) return;
  throw new SandboxError(
    'SANDBOX_CLEANUP_FAILED',
    `The sandbox holds what cannot be kept when it goes:\n${listed(parts.map(({ path, reason }) => `${path} ${reason}`))}`,
    {
      hint: `Make it readable (\`chmod -R u+rwX\`), rename it, move it away or remove it; it is in ${sandboxPath}. Then clean up again.`,
      data: { path: sandboxPath, parts },
    },
  );
}
