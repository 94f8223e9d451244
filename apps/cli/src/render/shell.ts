import { printable } from './text.ts';

/** Nothing in it that a shell would read otherwise. */
const PLAIN = /^[\w./:@%+,-]+$/;

/**
 * A word as it can be pasted into a shell, and shown on a terminal: quoted where a shell would read it otherwise, and
 * in the `$'...'` form of bash and zsh where a terminal would act on it.
 */
export function shellWord(text: string): string {
  if (PLAIN.test(text)) return text;
  if (printable(text) === text) return `'${text.replaceAll("'", "'\\''")}'`;
  const escaped = text.replaceAll('\\', '\\\\').replaceAll("'", "\\'");
  return `$'${printable(escaped)}'`;
}

/** Words as they can be pasted into a shell. */
export function commandLine(words: readonly string[]): string {
  return words.map(shellWord).join(' ');
}

/** Where a plan is, for a command line that somebody is to type next. */
export interface PlanPlace {
  readonly planId: string;
  /** As the caller gave it with `--project`; `.` when it was left out. */
  readonly project: string;
}

/** A `cleveragents plan` command about one plan, ready to be pasted. */
export function planCommand(subcommand: string, { planId, project }: PlanPlace): string {
  const where = project === '.' ? '' : ` --project ${shellWord(project)}`;
  const end = planId.startsWith('-') ? ' --' : ''; // else it would be read as an option
  return `cleveragents plan ${subcommand}${where}${end} ${shellWord(planId)}`;
}

/** Where work went that was taken out of a plan's sandbox, and how it comes back. */
export function renderRescue(rescuedTo: string | null, place: PlanPlace): string {
  return rescuedTo === null
    ? ''
    : ` The work is kept for 30 days: \`${planCommand('restore', place)}\` brings it back.`;
}

/** The commands in a hint of a package, which does not know how its caller names the plan, completed with that. */
export function completeHint(hint: string, place: PlanPlace): string {
  return hint.replace(
    /`(?:cleveragents )?plan (create|refresh|apply|rollback|cleanup|restore|show)((?: --[^`]*)?)`/g,
    (_whole, subcommand: string, options: string) => `\`${planCommand(`${subcommand}${options}`, place)}\``,
  );
}
