import type { UnattributedChange } from '@cleveragents/file-tools-domain';
import { plural, printable } from './text.ts';

const WORDS: Readonly<Record<UnattributedChange['kind'], string>> = {
  unrecorded: 'no tool touched it',
  altered: 'not as the last tool left it',
  undone: 'a tool changed it, and it is as it was',
};

/** What the tools did, and what of the changes they do not explain: commands, hooks, people. */
export function renderChangeSet({
  changeSet,
  unattributed,
}: {
  readonly changeSet: { readonly summary: string };
  readonly unattributed: readonly UnattributedChange[];
}): string {
  const others = unattributed.map(({ path, kind }) => `  ${printable(path)} (${WORDS[kind]})\n`);
  const title = others.length === 0 ? '' : `Not by a tool: ${plural(others.length, 'path')}\n`;
  return `Tools: ${changeSet.summary}\n${title}${others.join('')}`;
}
