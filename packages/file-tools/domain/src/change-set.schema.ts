import * as z from 'zod';

const hash = z
  .string()
  .regex(/^[0-9a-f]{64}$/)
  .nullable();
const count = z.int().nonnegative().nullable();

/** As it is stored and as agents see it. Unknown fields of later versions are kept. */
export const storedChangeEntrySchema = z.looseObject({
  path: z.string().min(1),
  operation: z.enum(['create', 'modify', 'delete']),
  before_hash: hash,
  after_hash: hash,
  before_mode: count,
  after_mode: count,
  size_before: count,
  size_after: count,
  tool_name: z.string(),
  at: z.iso.datetime(),
});
export type StoredChangeEntry = z.infer<typeof storedChangeEntrySchema>;

export type ChangeOperation = StoredChangeEntry['operation'];

/** What one tool call did to one file. */
export interface ChangeEntry {
  /** Relative to the root, links followed. */
  readonly path: string;
  readonly operation: ChangeOperation;
  /** SHA-256 of the bytes on disk; `null` where there is no file, and for one too large to hash, which has a size. */
  readonly beforeHash: string | null;
  readonly afterHash: string | null;
  readonly beforeMode: number | null;
  readonly afterMode: number | null;
  readonly sizeBefore: number | null;
  readonly sizeAfter: number | null;
  readonly toolName: string;
  /** ISO 8601, UTC. */
  readonly at: string;
}

export function toStoredEntry(entry: ChangeEntry): StoredChangeEntry {
  return {
    path: entry.path,
    operation: entry.operation,
    before_hash: entry.beforeHash,
    after_hash: entry.afterHash,
    before_mode: entry.beforeMode,
    after_mode: entry.afterMode,
    size_before: entry.sizeBefore,
    size_after: entry.sizeAfter,
    tool_name: entry.toolName,
    at: entry.at,
  };
}

export function fromStoredEntry(stored: StoredChangeEntry): ChangeEntry {
  return {
    path: stored.path,
    operation: stored.operation,
    beforeHash: stored.before_hash,
    afterHash: stored.after_hash,
    beforeMode: stored.before_mode,
    afterMode: stored.after_mode,
    sizeBefore: stored.size_before,
    sizeAfter: stored.size_after,
    toolName: stored.tool_name,
    at: stored.at,
  };
}
