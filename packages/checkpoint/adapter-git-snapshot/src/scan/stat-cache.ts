import { appendFileSync, lstatSync, readFileSync } from 'node:fs';
import type { ObjectId } from '@cleveragents/git-domain';
import { replaceFile } from '@cleveragents/shared-adapter-fs';
import { hasCode } from '@cleveragents/shared-kernel';
import { type KnownDirectory, type ModelChange, TreeModel } from './tree-model.ts';

type Line = ModelChange | readonly ['c', commit: string];

/**
 * A model as a file: changes, a line each, and after each capture the commit that they led to. It is believed only when it ends
 * with the commit that the store's ref names; whatever else is wrong with it only costs reading the files again.
 */
export class StatCache {
  readonly #path: string;
  #lineCount = 0;
  #stamp = '';

  constructor(path: string) {
    this.#path = path;
  }

  /** Nobody else wrote it since this instance last read or wrote it. */
  isCurrent(): boolean {
    return this.#stamp !== '' && this.#stamp === this.#stampNow();
  }

  /** `null`: there is none that led to `commit`. */
  load(commit: ObjectId): TreeModel | null {
    this.#stamp = this.#stampNow();
    const lines = this.#read();
    const last = lines?.findLastIndex(([kind]) => kind === 'c') ?? -1;
    if (lines === null || lines[last]?.[1] !== commit) return null;
    const model = new TreeModel();
    for (const line of lines.slice(0, last)) if (line[0] !== 'c') replay(model, line);
    model.isSaved = true;
    this.#lineCount = lines.length;
    return model;
  }

  /** Appends what changed; writes all of it anew when the file is new or more than half of it is of the past. */
  save(model: TreeModel, commit: ObjectId): void {
    const isWorthwhile = model.isSaved && this.#lineCount > 0 && this.#lineCount < 2 * model.fileCount + 5000;
    const last: Line = ['c', commit];
    if (isWorthwhile) {
      appendFileSync(this.#path, textOf([...model.changes, last]));
      this.#lineCount += model.changes.length + 1;
    } else {
      const all = new LinePieces();
      for (const change of model.allChanges()) all.add(change);
      all.add(last);
      replaceFile(this.#path, all.pieces(), 'process', 0o600);
      this.#lineCount = all.count;
    }
    this.#stamp = this.#stampNow();
    model.changes.length = 0;
    model.isSaved = true;
  }

  #stampNow(): string {
    const status = lstatSync(this.#path, { throwIfNoEntry: false });
    return status === undefined ? '' : `${status.ino} ${status.size}`;
  }

  #read(): readonly Line[] | null {
    try {
      const text = readFileSync(this.#path, 'utf8');
      // What a crash cut short ends without a line feed.
      const whole = text.slice(0, text.lastIndexOf('\n')).replaceAll('\n', ',');
      return JSON.parse(`[${whole}]`) as Line[];
    } catch (error) {
      if (hasCode(error, 'ENOENT') || error instanceof SyntaxError) return null;
      throw error;
    }
  }
}

/** Many lines as few pieces of bytes: neither an object a line nor one string of them all. */
class LinePieces {
  count = 0;
  readonly #done: Buffer[] = [];
  #lines: Line[] = [];

  add(line: Line): void {
    this.count++;
    this.#lines.push(line);
    if (this.#lines.length >= 1000) this.#finish();
  }

  pieces(): readonly Buffer[] {
    this.#finish();
    return this.#done;
  }

  #finish(): void {
    this.#done.push(Buffer.from(textOf(this.#lines)));
    this.#lines = [];
  }
}

function textOf(lines: readonly Line[]): string {
  return lines.map((line) => `${JSON.stringify(line)}\n`).join('');
}

function replay(model: TreeModel, change: ModelChange): void {
  const [kind, path] = change;
  if (kind === 'i') {
    model.holdsOnRequest = path !== '';
    return;
  }
  if (kind === 's') {
    model.stale.add(path);
    return;
  }
  const slash = path.lastIndexOf('/');
  const name = path.slice(slash + 1);
  const parent = slash < 0 ? model.root : directoryAt(model, path.slice(0, slash));
  if (parent === null) return;
  if (kind === 'd') model.enterDirectory(parent, name, change[2]);
  else if (kind === 'x') model.remove(parent, name);
  else {
    const [, , isLink, mode, size, mtimeMs, ctimeMs, inode, blob, isRacy] = change;
    model.setFile(parent, name, {
      kind: isLink === 1 ? 'link' : 'file',
      mode,
      size,
      mtimeMs,
      ctimeMs,
      inode,
      blob: blob as ObjectId,
      isRacy: isRacy === 1,
    });
  }
}

function directoryAt(model: TreeModel, path: string): KnownDirectory | null {
  let at: KnownDirectory | undefined = model.root;
  for (const name of path.split('/')) {
    at = at.directories.get(name);
    if (at === undefined) return null;
  }
  return at;
}
