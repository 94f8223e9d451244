import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { ObjectId } from '@cleveragents/git-domain';
import { type Durability, replaceFile, syncFolder } from '@cleveragents/shared-adapter-fs';
import { hasCode } from '@cleveragents/shared-kernel';
import { encodeContent, type GitObject, OBJECT_MODE, objectIdOf, type ObjectType } from './git-object.ts';
import { LooseObjects } from './loose-objects.ts';
import { encodePack, encodePackedObject, type PackedObject } from './pack-codec.ts';
import { PackFile, prefixAt } from './pack-file.ts';
import { storeCorrupt } from './store.errors.ts';
import { TreeCache } from './tree-cache.ts';

/** From this many objects on one pack is cheaper than a file each. */
const PACK_FROM_OBJECTS = 10;
/** What is larger gets a file of its own, so that dropping it frees its bytes without copying a pack. */
export const LARGE_OBJECT_BYTES = 512 * 1024;
const PENDING_BYTES = 2 * 1024 * 1024;

/**
 * The objects of one bare repository: packs, and loose files. What was put is on disk after `flush`. Writers hold
 * the store's lock; readers need none, for nothing that they may ask for goes away.
 */
export class ObjectDatabase {
  readonly loose: LooseObjects;
  readonly trees = new TreeCache();
  readonly #packFolder: string;
  readonly #durability: Durability;
  readonly #packs = new Map<string, PackFile>();
  /** The beginnings of all ids in packs: most questions are about what is new, and answered by this alone. */
  readonly #packedPrefixes = new Set<number>();
  /** In a file of its own for certain, as long as nobody sweeps. */
  readonly #known = new Set<ObjectId>();
  /** As they came: so few that they will be loose. */
  readonly #pending = new Map<ObjectId, GitObject>();
  /** Once there are too many for that: deflated, ready for a pack. */
  readonly #packing = new Map<ObjectId, PackedObject>();
  #packingBytes = 0;
  #writtenBytes = 0;

  readonly #lender: () => ObjectDatabase | null;
  /** Blobs that are not written while this is set. */
  borrowed: { has(id: ObjectId): boolean } | null = null;

  /** @param lender where objects may lie that were borrowed. */
  constructor(path: string, durability: Durability, lender: () => ObjectDatabase | null = () => null) {
    this.#lender = lender;
    this.#packFolder = join(path, 'pack');
    this.#durability = durability;
    this.loose = new LooseObjects(path, durability);
  }

  /** Whoever got the lock: others may have written since. */
  beginWriting(): void {
    this.loose.forgetListed();
  }

  /** For writers alone. */
  has(id: ObjectId): boolean {
    if (this.#known.has(id) || this.#pending.has(id) || this.#packing.has(id)) return true;
    if (this.#packHolding(id) !== undefined) return true;
    const isThere = this.loose.isListed(id);
    if (isThere) this.#known.add(id);
    return isThere;
  }

  /** @throws CheckpointError `SNAPSHOT_STORE_CORRUPT` when it is not there, or another type. */
  read(id: ObjectId, type: ObjectType): Buffer {
    const found = this.find(id);
    if (found === null) throw storeCorrupt(`object ${id} is missing`, { data: { id } });
    if (found.type !== type)
      throw storeCorrupt(`object ${id} is a ${found.type}, not a ${type}`, { data: { id } });
    return found.bytes;
  }

  /** `bytes` stay the caller's. */
  put(type: ObjectType, bytes: Buffer): ObjectId {
    const id = objectIdOf(type, bytes);
    if (this.has(id) || (type === 'blob' && this.borrowed?.has(id) === true)) return id;
    if (bytes.length >= LARGE_OBJECT_BYTES) {
      this.#writtenBytes += this.loose.write(id, type, bytes);
      this.#known.add(id);
      return id;
    }
    if (this.#packing.size > 0) this.#pack(id, type, bytes);
    else this.#pending.set(id, { type, bytes: Buffer.from(bytes) });
    if (this.#pending.size >= PACK_FROM_OBJECTS) this.#packPending();
    if (this.#packingBytes > PENDING_BYTES) this.#writePacking();
    return id;
  }

  async putLarge(id: ObjectId, size: number, source: () => AsyncIterable<Uint8Array>): Promise<void> {
    if (this.has(id) || this.borrowed?.has(id) === true) return;
    this.#writtenBytes += await this.loose.writeLarge(id, size, source);
    this.#known.add(id);
  }

  /** Returns how many bytes were written since the last flush. */
  flush(): number {
    if (this.#packing.size > 0) this.#writePacking();
    for (const [id, { type, bytes }] of this.#pending) {
      this.#writtenBytes += this.loose.write(id, type, bytes);
      this.#known.add(id);
    }
    this.#pending.clear();
    const written = this.#writtenBytes;
    this.#writtenBytes = 0;
    return written;
  }

  /** Forgets what was put and not yet written. */
  discardPending(): void {
    this.#pending.clear();
    this.#packing.clear();
    this.#packingBytes = 0;
    this.#writtenBytes = 0;
  }

  /** Another process may have swept: what was known may be gone. */
  forget(): void {
    this.#known.clear();
    for (const pack of this.#packs.values()) pack.close();
    this.#packs.clear();
    this.#packedPrefixes.clear();
  }

  /** For who does not hold the lock, and does not want the content: whether something lies there that is not empty. */
  isHeld(id: ObjectId): boolean {
    const lender = this.#lender();
    const places = lender === null ? [this] : [this, lender];
    return (
      places.some((place) => place.#isHeldHere(id)) ||
      places.some((place) => place.#packHolding(id, { refresh: true }) !== undefined)
    );
  }

  #isHeldHere(id: ObjectId): boolean {
    return this.#packHolding(id) !== undefined || this.loose.sizeOf(id) > 0;
  }

  /** Bytes that it takes on disk; 0 when it is not there. */
  sizeOf(id: ObjectId): number {
    return this.#packHolding(id)?.sizeOf(id) ?? this.loose.sizeOf(id);
  }

  get packCount(): number {
    return this.#packs.size;
  }

  packs(): readonly PackFile[] {
    this.#refreshPacks();
    return [...this.#packs.values()];
  }

  writePack(objects: readonly PackedObject[]): { readonly path: string; readonly bytes: number } {
    const { name, pack, packBytes, index } = encodePack(objects);
    const path = join(this.#packFolder, `pack-${name}`);
    mkdirSync(this.#packFolder, { recursive: true });
    replaceFile(`${path}.pack`, pack, this.#durability, OBJECT_MODE);
    // Readers look for indexes: the pack must be there before its index is.
    replaceFile(`${path}.idx`, [index], this.#durability, OBJECT_MODE);
    syncFolder(this.#packFolder, this.#durability);
    return { path, bytes: packBytes + index.length };
  }

  removePack(pack: PackFile): void {
    // The index first: without it nobody looks for the pack. What else git keeps beside it goes with it.
    for (const ending of ['idx', 'rev', 'bitmap', 'mtimes', 'pack'])
      rmSync(`${pack.path}.${ending}`, { force: true });
    pack.close();
    this.#packs.delete(pack.path);
  }

  /** `null`: it is nowhere. */
  find(id: ObjectId): GitObject | null {
    const pending = this.#pending.get(id);
    if (pending !== undefined) return pending;
    const lender = this.#lender();
    const places = lender === null ? [this] : [this, lender];
    return (
      firstFound(places, (place) => place.#findKnown(id)) ??
      firstFound(places, (place) => place.#findAfresh(id))
    );
  }

  /** The content of a blob: piece by piece where it is so large that it lies in a file of its own. */
  contentOf(id: ObjectId): Buffer | AsyncIterable<Uint8Array> {
    const size = this.#packHolding(id) === undefined ? this.loose.contentSize(id) : null;
    return size === null || size < LARGE_OBJECT_BYTES ? this.read(id, 'blob') : this.loose.stream(id);
  }

  #findKnown(id: ObjectId): GitObject | null {
    return this.#packHolding(id)?.read(id) ?? this.loose.read(id);
  }

  /** Another process may have packed it since. */
  #findAfresh(id: ObjectId): GitObject | null {
    return this.#packHolding(id, { refresh: true })?.read(id) ?? this.loose.read(id);
  }

  #packHolding(id: ObjectId, { refresh = false } = {}): PackFile | undefined {
    if (refresh || this.#packs.size === 0) this.#refreshPacks();
    const bytes = Buffer.from(id, 'hex');
    if (!this.#packedPrefixes.has(prefixAt(bytes, 0))) return undefined;
    for (const pack of this.#packs.values()) if (pack.hasBytes(bytes)) return pack;
    return undefined;
  }

  /** A pack that went between being listed and being opened was merged: what it held lies in one that was not listed. */
  #refreshPacks(): void {
    while (!this.#openListedPacks());
  }

  #openPack(path: string): void {
    const pack = new PackFile(path);
    pack.addPrefixes(this.#packedPrefixes);
    this.#packs.set(path, pack);
  }

  /** Returns whether all that were listed could be opened. */
  #openListedPacks(): boolean {
    let isComplete = true;
    for (const name of namesIn(this.#packFolder)) {
      if (!name.endsWith('.idx')) continue;
      const path = join(this.#packFolder, name.slice(0, -'.idx'.length));
      if (this.#packs.has(path)) continue;
      try {
        this.#openPack(path);
      } catch (error) {
        // What a damaged pack held is missing, and written anew by whoever has it.
        if (hasCode(error, 'SNAPSHOT_STORE_CORRUPT')) continue;
        if (!hasCode(error, 'ENOENT')) throw error;
        // An index without its pack is what a crash leaves; only one that went itself was merged.
        isComplete &&= existsSync(`${path}.idx`);
      }
    }
    return isComplete;
  }

  #packPending(): void {
    for (const [id, { type, bytes }] of this.#pending) this.#pack(id, type, bytes);
    this.#pending.clear();
  }

  #pack(id: ObjectId, type: ObjectType, bytes: Buffer): void {
    const encoded = encodePackedObject(type, bytes.length, encodeContent(type, bytes));
    this.#packing.set(id, { id, encoded });
    this.#packingBytes += encoded.length;
  }

  #writePacking(): void {
    const { path, bytes } = this.writePack([...this.#packing.values()]);
    this.#writtenBytes += bytes;
    if (!this.#packs.has(path)) this.#openPack(path);
    this.#packing.clear();
    this.#packingBytes = 0;
  }
}

function firstFound<Place, Found>(
  places: readonly Place[],
  find: (place: Place) => Found | null,
): Found | null {
  for (const place of places) {
    const found = find(place);
    if (found !== null) return found;
  }
  return null;
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return [];
    throw error;
  }
}
