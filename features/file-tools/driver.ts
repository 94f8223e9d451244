import type { FileToolsOptions } from '@cleveragents/file-tools-application';
import type { RootedWorld } from '@cleveragents/shared-kernel/contract';

/** One system that claims to have the file tools. */
export interface FileToolsDriver {
  readonly name: string;
  open(): Promise<FileToolsRoom>;
}

/** A fresh sandbox, what lies beside it, and what the tools need to work in it. */
export interface FileToolsRoom {
  readonly world: RootedWorld;
  readonly options: FileToolsOptions;
  close(): Promise<void>;
}
