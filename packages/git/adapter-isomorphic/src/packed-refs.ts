import { join } from 'node:path';
import { isObjectId, type ObjectId } from '@cleveragents/git-domain';
import { readBytesIfThere } from './file-access.ts';

const LINE_FEED = 0x0a;

/** `packed-refs` as it stands now. Read anew each time: no stamp of a file tells two writes of one instant apart. */
export class PackedRefs {
  readonly #bytes: Buffer;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  static read(commonDirectory: string): PackedRefs {
    return new PackedRefs(readBytesIfThere(join(commonDirectory, 'packed-refs')) ?? Buffer.alloc(0));
  }

  get(name: string): ObjectId | null {
    const at = this.#bytes.indexOf(` ${name}\n`);
    if (at < 0) return null;
    const id = this.#bytes.toString('latin1', this.#bytes.lastIndexOf(LINE_FEED, at) + 1, at);
    return isObjectId(id) ? id : null;
  }

  /** The first ref below `name`, which would have to be a folder for it; null when there is none. */
  firstBelow(name: string): string | null {
    // no name of a ref holds a space: this one stands behind an id
    const at = this.#bytes.indexOf(` ${name}/`);
    return at < 0 ? null : this.#bytes.toString('utf8', at + 1, this.#bytes.indexOf(LINE_FEED, at));
  }

  /** @param prefix begins each name that is wanted. */
  entries(prefix: string): readonly (readonly [name: string, id: ObjectId])[] {
    return this.#bytes
      .toString('utf8')
      .split('\n')
      .flatMap((line) => {
        const [id, name] = atFirstSpace(line);
        return name.startsWith(prefix) && isObjectId(id) ? [[name, id] as const] : [];
      });
  }

  /** The file's bytes without the ref, and without what its tag was peeled to. */
  without(name: string): Buffer {
    let dropping = false;
    const lines = this.#bytes
      .toString('latin1')
      .split('\n')
      .filter((line) => {
        if (!line.startsWith('^')) dropping = atFirstSpace(line)[1] === latin1(name) && !line.startsWith('#');
        return !dropping;
      });
    return Buffer.from(lines.join('\n'), 'latin1');
  }
}

function atFirstSpace(line: string): readonly [before: string, after: string] {
  const at = line.indexOf(' ');
  return at < 0 ? [line, ''] : [line.slice(0, at), line.slice(at + 1)];
}

function latin1(text: string): string {
  return Buffer.from(text).toString('latin1');
}
