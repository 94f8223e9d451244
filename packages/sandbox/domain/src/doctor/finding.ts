import type { SandboxState } from '../sandbox-state.schema.ts';

/** What a repair does, one call each. Every step looks again before it changes anything. */
export type RepairStep =
  /** Finishes or undoes operations, removes dead git locks, lets go of what was kept for long enough. */
  | { readonly step: 'recover' }
  | { readonly step: 'free-lock'; readonly path: string }
  /** Removes a plan's sandbox; what no branch holds is kept first. */
  | { readonly step: 'clean-up'; readonly planId: string; readonly updatedAt: string }
  /** Writes the record of a plan anew whose sandbox is there. */
  | { readonly step: 'adopt'; readonly planId: string; readonly state: SandboxState }
  /** Removes a sandbox that its plan has no use for; what no branch holds is kept first. */
  | { readonly step: 'remove'; readonly state: SandboxState }
  | { readonly step: 'reattach'; readonly state: SandboxState }
  /** @prop keptFor the plan under whose name the commits are kept first; null: another branch has them. */
  | {
      readonly step: 'drop-branch';
      readonly branch: string;
      readonly commit: string;
      readonly keptFor: string | null;
    }
  | { readonly step: 'drop-ref'; readonly ref: string; readonly target: string }
  | { readonly step: 'restore-setting'; readonly name: string; readonly value: string | null }
  /** Is carried out by the check that found it. */
  | { readonly step: 'elsewhere' }
  /** Gives the name of a damaged record free; the file stays beside it. */
  | { readonly step: 'put-aside'; readonly name: string };

/** The steps that are about what a strategy keeps; the others are about plans. */
export type SandboxRepairStep = Extract<
  RepairStep,
  { step: 'recover' | 'free-lock' | 'reattach' | 'drop-branch' | 'drop-ref' | 'restore-setting' }
>;

export type Repair =
  | { readonly by: 'doctor'; readonly does: string; readonly step: RepairStep }
  /** @prop command the words of what to type, where that is one command. */
  | { readonly by: 'you'; readonly does: string; readonly command: readonly string[] | null };

/** Something that is not as it should be. */
export interface Finding {
  /** Stable, kebab-case. */
  readonly kind: string;
  /** The one thing that it is about: a path, a ref, a setting. */
  readonly subject: string;
  readonly planId: string | null;
  /** A `note` is worth knowing and keeps nobody from calling a project healthy. */
  readonly severity: 'problem' | 'note';
  /** What is wrong, one sentence. */
  readonly problem: string;
  /** What that means for whoever owns the project. */
  readonly meaning: string;
  readonly repair: Repair;
}

/** Work that was saved, and is kept still. */
export interface KeptWork {
  readonly ref: string;
  /** Null when no plan of that key is known. */
  readonly planId: string | null;
  readonly at: string;
  /** From then on it may go. ISO 8601, UTC. */
  readonly until: string;
}

export interface Diagnosis {
  /** Problems first; by kind and subject. */
  readonly findings: readonly Finding[];
  readonly kept: readonly KeptWork[];
}

export function byDoctor(does: string, step: RepairStep): Repair {
  return { by: 'doctor', does, step };
}

export function byYou(does: string, ...command: readonly string[]): Repair {
  return { by: 'you', does, command: command.length === 0 ? null : command };
}
