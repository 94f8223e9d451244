import { lstatSync, readdirSync, type Stats } from 'node:fs';
import { isUtf8 } from 'node:buffer';
import type { UncoveredReason } from '@cleveragents/checkpoint-domain';
import { hasCode } from '@cleveragents/shared-kernel';
import type { ObjectId } from '@cleveragents/git-domain';
import type { ObjectDatabase } from '../objects/object-database.ts';
import { blobIdOf, readSteadily, readTarget } from './content-reader.ts';
import type { CoverageWish } from './coverage-wish.ts';
import { IgnoreFile } from './ignore-file.ts';
import { LazyPin, PinnedDirectory } from './pinned-path.ts';
import {
  isOurs,
  withOwnIgnoreFile,
  saidFirst,
  isUnchanged,
  isListingOf,
  knownOf,
  listingOf,
  namesIn,
  whyClosed,
  kindOf,
  modeOf,
  escaped,
  type Place,
} from './scan-place.ts';
import { TimesOf } from './times-of.ts';
import { type KnownDirectory, pathIn, type TreeModel } from './tree-model.ts';

const FILES_PER_TURN = 200;
/** Directories that are held open at once. */
const MOST_PLACES = 64;
const CANNOT_BE_OPENED = ['ENOENT', 'ENOTDIR', 'ELOOP', 'EACCES', 'EPERM', 'EIO'] as const;

export interface ScanTask {
  readonly root: string;
  readonly model: TreeModel;
  readonly objects: ObjectDatabase;
  readonly wish: CoverageWish;
  /** Texts of ignore files that hold for the whole tree, weakest first. */
  readonly ignoreTexts: readonly string[];
  readonly maxFileBytes: number;
  readonly startedAtMs: number;
}

/** A file too large to hold, to be written once the scan is over. */
export interface LargeFile {
  readonly directory: KnownDirectory;
  readonly name: string;
  readonly path: string;
  readonly blob: ObjectId;
  readonly size: number;
}

/**
 * Brings a model up to what the disk holds and puts the blobs of what changed. Looks at everything with `lstat` and opens only
 * what changed and is covered; never follows a link, never opens what is ignored. Yields so that others get their turn.
 */
export class TreeScan {
  readonly large: LargeFile[] = [];
  readonly #task: ScanTask;
  readonly #times: TimesOf;
  #count = 0;

  constructor(task: ScanTask) {
    this.#task = task;
    this.#times = new TimesOf(task.root, task.startedAtMs);
  }

  *everything(): Generator<void> {
    this.#task.model.uncovered.clear();
    const place = this.#rootPlace();
    try {
      yield* this.#visit(place, readdirSync(place.pinned.address));
    } finally {
      place.pinned.close();
    }
  }

  /** Looks at each path, at what lies below it, and at those of its parents that are new or gone. */
  *paths(paths: readonly string[]): Generator<void> {
    const places = new Map<string, Place>();
    const close = (): void => {
      for (const { pinned } of places.values()) pinned.close();
      places.clear();
    };
    try {
      for (const path of paths.toSorted()) {
        if (places.size > MOST_PLACES) close();
        yield* this.#hinted(path, places);
      }
    } finally {
      close();
    }
  }

  *#hinted(path: string, places: Map<string, Place>): Generator<void> {
    const names = path.split('/');
    if (isOurs(names[0] ?? '')) return;
    // What makes its parent another repository is a matter of the parent.
    const nested = names.indexOf('.git');
    if (nested > 0) return yield* this.#hinted(names.slice(0, nested).join('/'), places);
    let place = places.get('') ?? withOwnIgnoreFile(this.#rootPlace());
    places.set('', place);
    for (const name of names.slice(0, -1)) {
      const next = places.get(pathIn(place.node, name)) ?? this.#enterKnown(place, name);
      if (next === null) return yield* this.#lookAt(place, name);
      places.set(next.node.path, next);
      place = next;
    }
    yield* this.#lookAt(place, names.at(-1) ?? '');
  }

  /** `null`: there is no directory that was known before; whatever is there has to be looked at as a whole. */
  #enterKnown(place: Place, name: string): Place | null {
    const known = place.node.directories.get(name);
    const status = lstatSync(place.plain + name, { throwIfNoEntry: false });
    if (known === undefined || status?.isDirectory() !== true) return null;
    this.#task.model.enterDirectory(place.node, name, modeOf(status));
    const below = this.#below(place, known);
    return this.#hasIgnoreFile(known) ? this.#orNull(() => withOwnIgnoreFile(below)) : below;
  }

  /** As far as is known; one that is new is among the hints, and then everything is looked at. */
  #hasIgnoreFile(node: KnownDirectory): boolean {
    return node.files.has('.gitignore') || this.#task.model.uncovered.has(pathIn(node, '.gitignore'));
  }

  #orNull(enter: () => Place): Place | null {
    try {
      return enter();
    } catch (error) {
      whyClosed(error);
      return null;
    }
  }

  *#lookAt(place: Place, name: string): Generator<void> {
    this.#task.model.forgetUncovered(pathIn(place.node, name));
    const status = lstatSync(place.plain + name, { throwIfNoEntry: false });
    if (status === undefined) this.#task.model.remove(place.node, name);
    else yield* this.#entry(place, name, status);
  }

  #rootPlace(): Place {
    const { root, model, ignoreTexts } = this.#task;
    return {
      node: model.root,
      pinned: LazyPin.of(new PinnedDirectory(root)),
      plain: `${root}/`,
      ignoreFiles: ignoreTexts.map((text) => new IgnoreFile('', text)).reverse(),
      rule: 'by ignore files',
    };
  }

  *#visit(outer: Place, names: readonly string[]): Generator<void> {
    const place = withOwnIgnoreFile(outer, names);
    const { node } = place;
    let met = 0;
    for (const name of names) {
      if (++this.#count % FILES_PER_TURN === 0) yield;
      if (node.parent === null && isOurs(name)) continue;
      if (name.includes('\ufffd')) this.#reportOddNames(place);
      else {
        const status = lstatSync(place.plain + name, { throwIfNoEntry: false });
        if (status === undefined) continue;
        const known = node.files.get(name);
        if (known === undefined || !isUnchanged(known, status)) yield* this.#entry(place, name, status);
        else if (this.#isIgnored(place, name)) this.#leaveOut(place, name, 'ignored');
        if (node.files.has(name) || node.directories.has(name)) met++;
      }
    }
    if (met < node.files.size + node.directories.size) this.#removeAllBut(place, new Set(names));
  }

  #removeAllBut({ node, plain }: Place, names: ReadonlySet<string>): void {
    const isGone = (name: string): boolean =>
      !names.has(name) || lstatSync(plain + name, { throwIfNoEntry: false }) === undefined;
    for (const name of [...node.files.keys(), ...node.directories.keys()])
      if (isGone(name)) this.#task.model.remove(node, name);
  }

  *#entry(place: Place, name: string, status: Stats): Generator<void> {
    if (status.isDirectory()) yield* this.#directoryEntry(place, name, status);
    else this.#leafEntry(place, name, status);
  }

  *#directoryEntry(place: Place, name: string, status: Stats): Generator<void> {
    const path = pathIn(place.node, name);
    const rule = this.#ruleOf(place, path, name, true);
    if (rule === 'ignored' && !this.#task.wish.mayCoverBelow(path)) this.#leaveOut(place, name, 'ignored');
    else yield* this.#directory(place, name, { rule, status });
  }

  #leafEntry(place: Place, name: string, status: Stats): void {
    if (this.#isIgnored(place, name)) return this.#leaveOut(place, name, 'ignored');
    if (kindOf(status) === 'other') return this.#leaveOut(place, name, 'special-file');
    const known = place.node.files.get(name);
    if (known !== undefined && isUnchanged(known, status)) return;
    this.#task.model.removeDirectory(place.node, name);
    try {
      this.#file(place, name);
    } catch (error) {
      // Something came between the directory, seen by its name, and the one that would have been opened.
      if (!hasCode(error, ...CANNOT_BE_OPENED)) throw error;
      this.#leaveOut(place, name, whyClosed(error) === 'gone' ? 'still-changing' : 'unreadable');
    }
  }

  #isIgnored(place: Place, name: string): boolean {
    return this.#ruleOf(place, pathIn(place.node, name), name, false) === 'ignored';
  }

  #ruleOf(place: Place, path: string, name: string, isDirectory: boolean): Place['rule'] {
    if (place.rule === 'asked for') return 'asked for';
    const isIgnored =
      place.rule === 'ignored' || saidFirst(place.ignoreFiles, path, name, isDirectory) === 'ignored';
    if (!isIgnored) return 'by ignore files';
    return this.#task.wish.covers(path, name, isDirectory) ? 'asked for' : 'ignored';
  }

  *#directory(
    place: Place,
    name: string,
    { rule, status }: { readonly rule: Place['rule']; readonly status: Stats },
  ): Generator<void> {
    const { model, wish } = this.#task;
    const known = place.node.directories.get(name)?.listing;
    const names = known && isListingOf(known, status) ? known.names : namesIn(place.plain + name);
    if (names === 'gone') return this.#leaveOut(place, name, 'still-changing');
    if (names === 'unreadable') return this.#leaveOut(place, name, 'unreadable');
    if (names.includes('.git')) return this.#leaveOut(place, name, 'nested-repository');
    const node = model.enterDirectory(place.node, name, modeOf(status));
    node.listing = this.#times.tellNames(status) ? listingOf(names, status) : null;
    const below = { ...this.#below(place, node), rule };
    try {
      yield* this.#visit(below, names);
    } finally {
      below.pinned.close();
    }
    const isHollow = node.files.size === 0 && node.directories.size === 0;
    if (rule === 'ignored' && isHollow && !wish.holdsDirectory(node.path)) {
      model.forgetUncovered(node.path);
      this.#leaveOut(place, name, 'ignored');
    }
  }

  #below(place: Place, node: KnownDirectory): Place {
    const rule = this.#ruleOf(place, node.path, node.name, true);
    const plain = `${place.plain}${node.name}/`;
    return { node, pinned: place.pinned.below(node.name), plain, ignoreFiles: place.ignoreFiles, rule };
  }

  #file(place: Place, name: string): void {
    const { model, maxFileBytes } = this.#task;
    const address = place.pinned.address + name;
    const status = lstatSync(address, { throwIfNoEntry: false });
    if (status === undefined) return model.remove(place.node, name);
    if (status.isSymbolicLink()) return this.#link(place, name, status);
    if (!status.isFile())
      return this.#leaveOut(place, name, status.isDirectory() ? 'still-changing' : 'special-file');
    if (status.size > maxFileBytes) return this.#leaveOut(place, name, 'over-size-limit');
    this.#content(place, name);
  }

  #link(place: Place, name: string, status: Stats): void {
    const target = readTarget(place.pinned.address + name);
    if (target === null) return this.#leaveOut(place, name, 'still-changing');
    const blob = this.#task.objects.put('blob', target);
    this.#task.model.setFile(place.node, name, knownOf(status, blob, this.#times.areSettled(status)));
  }

  #content(place: Place, name: string): void {
    const content = readSteadily(place.pinned.address + name);
    if (content === 'gone') return this.#leaveOut(place, name, 'gone');
    if (content === 'other') return this.#leaveOut(place, name, 'special-file');
    if (content === 'changing') return this.#leaveOut(place, name, 'still-changing');
    if (content === 'unreadable') return this.#leaveOut(place, name, 'unreadable');
    const blob = content.kind === 'whole' ? this.#task.objects.put('blob', content.bytes) : blobIdOf(content);
    this.#task.model.setFile(
      place.node,
      name,
      knownOf(content.status, blob, this.#times.areSettled(content.status)),
    );
    if (content.kind === 'large')
      this.large.push({
        directory: place.node,
        name,
        path: pathIn(place.node, name),
        blob,
        size: content.size,
      });
  }

  /** What is gone is simply not there; everything else is named. */
  #leaveOut({ node }: Place, name: string, reason: UncoveredReason | 'gone'): void {
    this.#task.model.remove(node, name);
    if (reason !== 'gone') this.#task.model.uncovered.set(pathIn(node, name), reason);
  }

  /** Node shows bytes that are no UTF-8 as U+FFFD; only the bytes tell them from a real one. */
  #reportOddNames(place: Place): void {
    for (const name of readdirSync(place.pinned.address, { encoding: 'buffer' })) {
      if (isUtf8(name) && !name.includes('\ufffd')) continue;
      const shown = isUtf8(name) ? name.toString() : escaped(name);
      this.#task.model.uncovered.set(pathIn(place.node, shown), 'name-not-utf8');
    }
  }
}
