import type { ObjectId, TreeReader, TreeWriter } from '../objects.ts';

/** Files that a merge made, kept back until it is known that they are wanted. Their ids until then are not git's. */
export class DraftBlobs {
  readonly #reader: Pick<TreeReader, 'readBlob'>;
  readonly #drafts = new Map<ObjectId, { readonly bytes: Uint8Array; readonly origin: ObjectId }>();

  constructor(reader: Pick<TreeReader, 'readBlob'>) {
    this.#reader = reader;
  }

  /** @param origin the file of our side that went into it. */
  add(bytes: Uint8Array, origin: ObjectId): ObjectId {
    const id = `draft:${this.#drafts.size}` as ObjectId;
    this.#drafts.set(id, { bytes, origin });
    return id;
  }

  /** The file itself, or for a draft the one that went into it: something that is in the store. */
  originOf(id: ObjectId): ObjectId {
    const draft = this.#drafts.get(id);
    return draft ? this.originOf(draft.origin) : id;
  }

  async read(id: ObjectId): Promise<Uint8Array> {
    return this.#drafts.get(id)?.bytes ?? this.#reader.readBlob(id);
  }

  /** The id by which git knows the file. */
  async write(writer: Pick<TreeWriter, 'writeBlob'>, id: ObjectId): Promise<ObjectId> {
    const draft = this.#drafts.get(id);
    return draft === undefined ? id : writer.writeBlob(draft.bytes);
  }
}
