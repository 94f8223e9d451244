import type { CodecSource, TextCodec } from '@cleveragents/file-tools-domain';
import { codecNamed } from '@cleveragents/file-tools-domain';
import type { TextSearcher } from '@cleveragents/file-tools-ports';
import type { RootedFileSystem } from '@cleveragents/shared-kernel';
import { sha256Hex } from './digest.ts';
import { OneAtATime } from './one-at-a-time.ts';

export interface FileToolsOptions {
  /** The only files that the tools reach. */
  readonly files: RootedFileSystem;
  readonly searcher: TextSearcher;
  /** Encodings beyond the built-in ones. */
  readonly codecs?: CodecSource | undefined;
  /** SHA-256 in hex. Default: by Web Cryptography, which every platform has and which takes a turn of its own. */
  readonly digest?: Digest | undefined;
}

export type Digest = (bytes: Uint8Array) => string | Promise<string>;

/** What the tools of one root share. */
export class FileToolsContext {
  readonly files: RootedFileSystem;
  readonly searcher: TextSearcher;
  readonly digest: Digest;
  readonly #codecs: CodecSource | undefined;
  readonly #changes: OneAtATime;

  constructor({ files, searcher, codecs, digest = sha256Hex }: FileToolsOptions) {
    this.files = files;
    this.searcher = searcher;
    this.digest = digest;
    this.#codecs = codecs;
    this.#changes = queueOf(files);
  }

  codec(name: string): TextCodec {
    return codecNamed(name, this.#codecs);
  }

  /** Changes of one root wait for each other, also those of another registry: what was read is still so when it is written. */
  changing<Result>(work: () => Promise<Result>): Promise<Result> {
    return this.#changes.run(work);
  }
}

const queues = new WeakMap<RootedFileSystem, OneAtATime>();

function queueOf(files: RootedFileSystem): OneAtATime {
  const queue = queues.get(files) ?? new OneAtATime();
  queues.set(files, queue);
  return queue;
}
