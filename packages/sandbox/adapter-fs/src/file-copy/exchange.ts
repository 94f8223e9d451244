import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  closeSync,
  fsyncSync,
  lchownSync,
  mkdirSync,
  openSync,
  renameSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { type Journal, type JournalEntry, syncDirectory } from '@cleveragents/shared-adapter-fs';
import { SandboxError } from '@cleveragents/sandbox-domain';
import { hasCode, messageOf } from '@cleveragents/shared-kernel';
import { sameEntry } from './entry.ts';
import { type Put, planSteps, type Step } from './exchange-plan.ts';
import { keepLateSave, newFile, stagedEntry, take, takeBack } from './exchange-steps.ts';
import { STAGING_PREFIX } from './exclusion.ts';
import { readWhole } from './file-bytes.ts';
import type { PathFacts } from './original-facts.ts';
import type { Pace } from './pace.ts';
import { removeWhole } from './removal.ts';
import { nameOf, PinnedFolder, statIfThere } from './pinned-folder.ts';

/** Where the new content of a path comes from: bytes, or a file below a folder that is copied. */
export type Source = { readonly bytes: Uint8Array } | { readonly root: string; readonly path: string };

export interface Exchange {
  readonly journal: Journal;
  /** Folder in which files are exchanged. */
  readonly root: string;
  readonly facts: readonly PathFacts[];
  readonly sourceOf: (path: string) => Source;
  readonly folderModes: (path: string) => number;
  /** Folders beside the root that come into force with the exchange, and with it alone. */
  readonly renames: readonly Rename[];
  /** What was made for this exchange alone and goes when it is taken back. */
  readonly discards: readonly string[];
  readonly durable: boolean;
  readonly pace: Pace;
  /** Called when all is staged and nothing is exchanged yet: the last moment at which somebody may object, by throwing. */
  readonly lastLook: () => Promise<void>;
}

export interface Rename {
  readonly from: string;
  readonly to: string;
}

interface Intent {
  readonly root: string;
  readonly staging: string;
  readonly steps: readonly Step[];
  readonly renames: readonly Rename[];
  readonly discards: readonly string[];
}

const KIND = 'file-copy-exchange';
const DONE = 'done';

/** A file was not what it should be when its copy was staged. */
export class SourceMoving extends Error {}

/**
 * Exchanges files of a folder, as a whole or not at all. All new files are complete beside the old ones before the first is
 * exchanged; each old one is set aside and looked at before the new one takes its place, which never replaces anything.
 * After a crash {@link settleExchanges} ends in the old state or the new one.
 *
 * @returns sentences about what somebody wrote in the very moment, which is kept beside.
 * @throws PathTaken, SourceMoving, the system's error: then everything is as it was.
 */
export async function exchange(request: Exchange): Promise<readonly string[]> {
  const { root, journal, facts, folderModes, renames, discards } = request;
  const isThere = (folder: string): boolean => statIfThere(join(root, folder))?.isDirectory() === true;
  const steps = planSteps(facts, folderModes, isThere);
  const staging = join(root, STAGING_PREFIX + randomBytes(4).toString('hex'));
  const intent: Intent = { root, staging, steps, renames, discards };
  const entry = await journal.begin(KIND, intent);
  try {
    await stage(request, intent);
    await request.lastLook();
    await takeAll(request, intent);
    await recordDone(journal, entry);
  } catch (error) {
    await undo(entry, intent, error);
    throw error;
  }
  try {
    return await finish(entry, intent);
  } catch {
    return []; // it is done; what is left lying about goes with the next command
  }
}

/** A line that is on the disk counts, whatever the system said of it: the next command would read it. */
async function recordDone(journal: Journal, entry: JournalEntry): Promise<void> {
  try {
    await entry.record(DONE);
  } catch (error) {
    const written = (await journal.pending()).find(({ id }) => id === entry.id);
    if (written?.steps.includes(DONE) !== true) throw error;
  }
}

/** Finishes or takes back what dead processes left half-done, in words. Under the lock that exchanges are made under. */
export async function settleExchanges(journal: Journal): Promise<readonly string[]> {
  const said: string[] = [];
  for (const entry of await journal.pending()) {
    if (entry.kind !== KIND) continue;
    const intent = entry.payload as Intent;
    if (entry.steps.includes(DONE)) {
      said.push(`Finished an exchange of files in ${intent.root}.`, ...(await finish(entry, intent)));
    } else {
      await takeAllBack(intent);
      await entry.complete();
      said.push(`Took back a half-done exchange of files in ${intent.root}.`);
    }
  }
  await journal.sweep();
  return said;
}

async function stage({ sourceOf, durable, pace }: Exchange, { root, staging, steps }: Intent): Promise<void> {
  mkdirSync(staging, { mode: 0o700 });
  for (const step of steps) {
    if (step.kind !== 'put' || step.new?.kind !== 'file') continue;
    const rest = pace.step();
    if (rest !== null) await rest;
    stageFile(newFile(staging, step), sourceOf(step.path), step, durable);
    if (step.old !== null) keepOwner(join(root, step.path), newFile(staging, step), step.new.mode);
  }
  if (durable) await syncDirectory(staging);
}

function stageFile(path: string, source: Source, step: Put, durable: boolean): void {
  const descriptor = openSync(path, 'wx', 0o600);
  try {
    if ('bytes' in source) writeFileSync(descriptor, source.bytes);
    else copyInto(descriptor, source.root, source.path);
    if (durable) fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
  const { mode } = step.new as { mode: number };
  chmodSync(path, mode);
  const staged = stagedEntry(dirname(path), nameOf(path));
  if (!sameEntry(staged, step.new)) throw new SourceMoving(step.path);
}

/** A file that is replaced stays whose it was, where we may decide that. */
function keepOwner(old: string, path: string, mode: number): void {
  const [was, is] = [statIfThere(old), statIfThere(path)];
  if (was === null || is === null || (was.uid === is.uid && was.gid === is.gid)) return;
  try {
    lchownSync(path, was.uid, was.gid);
    chmodSync(path, mode); // a change of owner takes away setuid
  } catch (error) {
    if (!hasCode(error, 'EPERM', 'EINVAL', 'ENOTSUP')) throw error;
  }
}

function copyInto(descriptor: number, root: string, path: string): void {
  const parent = PinnedFolder.openParent(root, path);
  let position = 0;
  try {
    readWhole(
      parent,
      nameOf(path),
      (piece) => {
        for (let done = 0; done < piece.length;)
          done += writeSync(descriptor, piece, done, piece.length - done, position + done);
        position += piece.length;
      },
      () => {
        position = 0;
      },
    );
  } finally {
    parent.close();
  }
}

async function takeAll({ durable, pace }: Exchange, { root, staging, steps }: Intent): Promise<void> {
  const touched = new Set<string>();
  for (const step of steps) {
    take(root, staging, step);
    touched.add(dirname(join(root, step.path)));
    const rest = pace.step();
    if (rest !== null) await rest;
  }
  if (!durable) return;
  for (const folder of touched) if (statIfThere(folder)?.isDirectory() === true) await syncDirectory(folder);
}

async function undo(entry: JournalEntry, intent: Intent, cause: unknown): Promise<void> {
  try {
    await takeAllBack(intent);
    await entry.complete();
  } catch (failure) {
    throw new SandboxError(
      'SANDBOX_RECOVERY_BLOCKED',
      `${messageOf(cause)}; and what was done until then could not be taken back: ${messageOf(failure)}`,
      {
        hint: 'See to what the system complains about. The next command goes on taking it back; the files set aside are in the folder named.',
        data: { root: intent.root, staging: intent.staging, undone: false },
        cause,
      },
    );
  }
}

async function takeAllBack({ root, staging, steps, discards }: Intent): Promise<void> {
  if (statIfThere(staging) !== null) for (const step of steps.toReversed()) takeBack(root, staging, step);
  for (const path of discards) await removeWhole(path);
  await removeWhole(staging);
}

async function finish(
  entry: JournalEntry,
  { root, staging, steps, renames }: Intent,
): Promise<readonly string[]> {
  const said: string[] = [];
  if (statIfThere(staging) !== null)
    for (const step of steps) {
      const kept = step.kind === 'put' ? keepLateSave(root, staging, step) : null;
      if (kept !== null) said.push(`${step.path} was saved while it was exchanged; that is kept as ${kept}.`);
    }
  for (const { from, to } of renames) {
    if (statIfThere(from) === null) continue;
    await removeWhole(to);
    renameSync(from, to);
  }
  await removeWhole(staging);
  await entry.complete();
  return said;
}
