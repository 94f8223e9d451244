import { sha256Hex } from '@cleveragents/shared-kernel';

const PREFIX = 'cleveragents/plan-';
/** Leaves room for `.lock` and a hash in file systems that take 255 bytes a component. */
const MAX_COMPONENT_LENGTH = 200;

/**
 * The branch of a plan's sandbox: `cleveragents/plan-<sanitised plan id>`.
 *
 * Runs of characters outside `[A-Za-z0-9._/-]` become one `-`; what `git check-ref-format` still refuses (`..`, a
 * component that begins with `.` or ends in `.lock`, doubled slashes) is replaced the same way. Two ids may share a
 * name: the later one takes {@link distinctBranchName}.
 */
export function branchNameForPlan(planId: string): string {
  const components = planId
    .replace(/[^A-Za-z0-9._/-]+/g, '-')
    .split('/')
    .map(sanitiseComponent)
    .filter((component) => component !== '');
  return PREFIX + (components.length === 0 ? '-' : joinWithin(components));
}

/**
 * The name for a plan whose {@link branchNameForPlan} is taken, or blocked by another plan's. It has no further slash, so
 * that no other plan's branch can be a directory on its way.
 */
export function distinctBranchName(planId: string): string {
  const flat = branchNameForPlan(planId).slice(PREFIX.length).replaceAll('/', '-');
  return `${PREFIX}${flat.slice(0, MAX_COMPONENT_LENGTH)}-${sha256Hex(planId).slice(0, 8)}`;
}

function sanitiseComponent(component: string): string {
  return component
    .replace(/\.{2,}/g, '-')
    .replace(/^\./, '-')
    .replace(/\.$/, '-')
    .replace(/\.lock$/i, '-lock')
    .slice(0, MAX_COMPONENT_LENGTH)
    .replace(/\.(lock)?$/i, '-$1');
}

/** Refs are paths too: a plan id of thousands of slashes is cut where file systems would refuse it. */
function joinWithin(components: readonly string[]): string {
  let name = '';
  for (const component of components) {
    const longer = name === '' ? component : `${name}/${component}`;
    if (longer.length > 2 * MAX_COMPONENT_LENGTH) break;
    name = longer;
  }
  return name;
}
