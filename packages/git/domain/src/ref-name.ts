/** Why git refuses a name for a ref; stable, for programs. */
export type RefNameFault =
  | 'empty'
  /** `refs/heads/x`, never just `x`. */
  | 'one-level'
  /** Begins or ends with a slash, or has two in a row. */
  | 'empty-component'
  | 'component-starts-with-dot'
  | 'component-ends-with-lock'
  | 'double-dot'
  | 'ends-with-dot'
  /** A control character, a space or one of `~^:?*[\`. */
  | 'forbidden-character'
  | 'at-brace'
  /** The name `@` alone. */
  | 'at'
  | 'not-unicode'
  /** A branch whose name begins with `-`. */
  | 'starts-with-dash'
  /** A branch called `HEAD`. */
  | 'head';

const FORBIDDEN = /[\u0000-\u0020\u007f~^:?*[\\]/;

/** Whether a whole name (`refs/heads/main`) is one that `git check-ref-format` accepts: `null`, else the first fault. */
export function checkRefName(name: string): RefNameFault | null {
  const fault = faultOf(name);
  if (fault !== null) return fault;
  return name.includes('/') ? null : 'one-level';
}

/** As `checkRefName`, for a branch's short name: what `git check-ref-format --branch` accepts. */
export function checkBranchName(name: string): RefNameFault | null {
  if (name === '') return 'empty';
  if (name.startsWith('-')) return 'starts-with-dash';
  if (name === 'HEAD') return 'head';
  return faultOf(`refs/heads/${name}`);
}

function faultOf(name: string): RefNameFault | null {
  if (name === '') return 'empty';
  if (name === '@') return 'at';
  if (!name.isWellFormed()) return 'not-unicode';
  if (FORBIDDEN.test(name)) return 'forbidden-character';
  if (name.includes('..')) return 'double-dot';
  if (name.includes('@{')) return 'at-brace';
  if (name.endsWith('.')) return 'ends-with-dot';
  for (const component of name.split('/')) {
    if (component === '') return 'empty-component';
    if (component.startsWith('.')) return 'component-starts-with-dot';
    if (component.endsWith('.lock')) return 'component-ends-with-lock';
  }
  return null;
}

/** Whether two refs cannot exist together, because one would be a directory on the way to the other. */
export function refNameConflicts(a: string, b: string): boolean {
  return a.startsWith(`${b}/`) || b.startsWith(`${a}/`);
}
