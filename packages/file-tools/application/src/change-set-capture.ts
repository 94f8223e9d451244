import type { ChangeEntry, FileState, StoredChangeEntry, ToolResult } from '@cleveragents/file-tools-domain';
import {
  changeEntry,
  failed,
  failureOf,
  netChanges,
  summarise,
  toStoredEntry,
  type TreeChange,
  unattributedChanges,
  type UnattributedChange,
} from '@cleveragents/file-tools-domain';
import type { AgentTool, ChangeSetStore } from '@cleveragents/file-tools-ports';
import type { Clock, Fingerprint, PlanId, RootedFileSystem } from '@cleveragents/shared-kernel';
import { hasCode, messageOf, parsePlanId } from '@cleveragents/shared-kernel';
import { OneAtATime } from './one-at-a-time.ts';

export interface ChangeSetCaptureOptions {
  readonly planId: string;
  /** Where entries go as they are made; without it they end with this object. */
  readonly store?: ChangeSetStore | undefined;
  readonly clock?: Clock | undefined;
}

/** As it is stored and shown. */
export interface ChangeSetJson {
  readonly plan_id: string;
  readonly summary: string;
  readonly entries: readonly StoredChangeEntry[];
  readonly net: readonly StoredChangeEntry[];
}

/** Files larger than this are recorded by size alone. */
const MAXIMUM_HASHED_BYTES = 256 * 1024 * 1024;

/** Records what tools do to files, by looking at the files before and after. */
export class ChangeSetCapture {
  readonly planId: PlanId;
  readonly #store: ChangeSetStore | undefined;
  readonly #clock: Clock;
  readonly #calls = new OneAtATime();
  #entries: ChangeEntry[] = [];

  /** @throws ValidationError `plan_id cannot be empty` */
  constructor({ planId, store, clock = { now: () => new Date() } }: ChangeSetCaptureOptions) {
    this.planId = parsePlanId(planId);
    this.#store = store;
    this.#clock = clock;
  }

  /** One that goes on where the store's log of the plan ends. */
  static async resume(
    options: ChangeSetCaptureOptions & { readonly store: ChangeSetStore },
  ): Promise<ChangeSetCapture> {
    const capture = new ChangeSetCapture(options);
    capture.#entries = [...(await options.store.load(capture.planId))];
    return capture;
  }

  /** The full log, in order. */
  get entries(): readonly ChangeEntry[] {
    return [...this.#entries];
  }

  /** What the log comes to: created and deleted again is nothing, and so is changed and changed back. */
  net(): readonly ChangeEntry[] {
    return netChanges(this.#entries);
  }

  /** `No changes recorded`, or the total and each operation's count. */
  summary(): string {
    return summarise(this.#entries);
  }

  /** The differences of a tree that no recorded call explains. */
  unattributed(tree: readonly TreeChange[]): readonly UnattributedChange[] {
    return unattributedChanges(this.#entries, tree);
  }

  /** Forgets everything, in the store too. */
  async clear(): Promise<void> {
    this.#entries = [];
    await this.#store?.clear(this.planId);
  }

  toJSON(): ChangeSetJson {
    return {
      plan_id: this.planId,
      summary: this.summary(),
      entries: this.#entries.map(toStoredEntry),
      net: this.net().map(toStoredEntry),
    };
  }

  /**
   * The same tool, recorded. Any tool will do whose input has a `path`: what it did is told from the file's state before
   * and after, also when it failed. Calls through one capture wait for each other.
   */
  wrap(tool: AgentTool, { files }: { readonly files: RootedFileSystem }): AgentTool {
    return {
      ...tool,
      execute: (input, call) =>
        this.#calls.run(async () => {
          const path = pathIn(input);
          if (path === undefined) return tool.execute(input, call);
          const before = await statesBefore(path, files);
          const result = await tool.execute(input, call).catch(failureOf);
          return this.#record(tool.name, before, await statesAfter(path, before, files), result);
        }),
    };
  }

  async #record(toolName: string, before: States, after: States, result: ToolResult): Promise<ToolResult> {
    const at = this.#clock.now().toISOString();
    const entries = [...new Set([...before.keys(), ...after.keys()])].flatMap(
      (path) => changeEntry(path, before.get(path), after.get(path), { toolName, at }) ?? [],
    );
    if (entries.length === 0) return result;
    this.#entries.push(...entries);
    try {
      await this.#store?.append(this.planId, entries);
      return result;
    } catch (error) {
      return failed(
        'CHANGE_NOT_RECORDED',
        `The file was changed, but the change could not be recorded: ${messageOf(error)}`,
        'Free space or permissions for the change sets; the change shows as unattributed until then.',
      );
    }
  }
}

type States = ReadonlyMap<string, FileState>;

function pathIn(input: unknown): string | undefined {
  if (typeof input !== 'object' || input === null || !('path' in input)) return undefined;
  return typeof input.path === 'string' ? input.path : undefined;
}

/** The file of a path; for a link, the link and the file that it reaches. */
async function statesBefore(path: string, files: RootedFileSystem): Promise<States> {
  const fingerprint = await fingerprintOf(path, files);
  return new Map(
    [fingerprint, fingerprint?.target].flatMap((one) => (one === undefined ? [] : [stateOf(one)])),
  );
}

/** The same paths again, whatever leads to them now, and the path itself where it is new. */
async function statesAfter(path: string, before: States, files: RootedFileSystem): Promise<States> {
  const fingerprints = await Promise.all(
    [path, ...before.keys()].map((place) => fingerprintOf(place, files)),
  );
  return new Map(fingerprints.flatMap((one) => (one === undefined ? [] : [stateOf(one)])));
}

async function fingerprintOf(path: string, files: RootedFileSystem): Promise<Fingerprint | undefined> {
  try {
    return await files.fingerprint(path, { maxBytes: MAXIMUM_HASHED_BYTES });
  } catch (error) {
    // The tool refuses such a path itself, and says so better.
    if (hasCode(error, 'PATH_TRAVERSAL', 'PATH_INVALID', 'PERMISSION_DENIED', 'STORAGE_FAILED'))
      return undefined;
    throw error;
  }
}

function stateOf({ path, sha256, mode, size }: Fingerprint): readonly [string, FileState] {
  return [path, { hash: sha256, mode, size }];
}
