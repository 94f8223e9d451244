import type { Stats } from 'node:fs';
import { join } from 'node:path';
import { isObjectId, type ObjectId } from '@cleveragents/git-domain';
import { writeFileAtomically } from '@cleveragents/shared-adapter-fs';
import { readTextIfThere } from './file-access.ts';

/** What a file held when we read it, and the stat that it then had. */
interface Remembered {
  readonly id: ObjectId;
  readonly mtimeMs: number;
  readonly ctimeMs: number;
  readonly size: number;
  readonly ino: number;
}

const FILE = 'cleveragents-stat-cache.json';
const VERSION = 1;
/** A file younger than this when it was read may have been written again within the same tick of the clock. */
const SETTLED_MS = 100;

/**
 * Files of a linked worktree whose content we know though its index does not: the index is the agent's, and stays as the
 * agent left it. Losing the cache costs time only.
 */
export class StatCache {
  readonly #path: string;
  readonly #known: ReadonlyMap<string, Remembered>;
  readonly #seen = new Map<string, Remembered>();

  private constructor(path: string, known: ReadonlyMap<string, Remembered>) {
    this.#path = path;
    this.#known = known;
  }

  static load(gitDirectory: string): StatCache {
    const path = join(gitDirectory, FILE);
    return new StatCache(path, parse(readTextIfThere(path)));
  }

  /** Knows nothing, and is never saved. */
  static empty(): StatCache {
    return new StatCache('', new Map());
  }

  find(path: string, stat: Stats): ObjectId | null {
    const known = this.#known.get(path);
    if (known === undefined || !isSame(known, stat)) return null;
    this.#seen.set(path, known);
    return known.id;
  }

  /** Call it right after the file was read. */
  remember(path: string, stat: Stats, id: ObjectId): void {
    if (Date.now() - Math.max(stat.mtimeMs, stat.ctimeMs) < SETTLED_MS) return;
    const { mtimeMs, ctimeMs, size, ino } = stat;
    this.#seen.set(path, { id, mtimeMs, ctimeMs, size, ino });
  }

  /** Keeps what was found or remembered since `load`, and nothing else. */
  async save(): Promise<void> {
    if (this.#seen.size === 0 && this.#known.size === 0) return;
    const files = [...this.#seen].map(([path, { id, mtimeMs, ctimeMs, size, ino }]) => [
      path,
      id,
      mtimeMs,
      ctimeMs,
      size,
      ino,
    ]);
    await writeFileAtomically(this.#path, JSON.stringify({ version: VERSION, files }), { durable: false });
  }
}

function isSame(known: Remembered, stat: Stats): boolean {
  return (
    known.mtimeMs === stat.mtimeMs &&
    known.ctimeMs === stat.ctimeMs &&
    known.size === stat.size &&
    known.ino === stat.ino
  );
}

/** A damaged cache is an empty one. */
function parse(text: string | null): ReadonlyMap<string, Remembered> {
  const content = parseJson(text) as { version?: unknown; files?: unknown } | null;
  if (content?.version !== VERSION || !Array.isArray(content.files)) return new Map();
  const known = new Map<string, Remembered>();
  for (const file of content.files as unknown[]) {
    if (!Array.isArray(file)) return new Map();
    const [path, id, mtimeMs, ctimeMs, size, ino] = file as unknown[];
    if (typeof path !== 'string' || typeof id !== 'string' || !isObjectId(id)) return new Map();
    if (![mtimeMs, ctimeMs, size, ino].every(Number.isFinite)) return new Map();
    known.set(path, { id, mtimeMs, ctimeMs, size, ino } as Remembered);
  }
  return known;
}

function parseJson(text: string | null): unknown {
  try {
    return text === null ? null : JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}
