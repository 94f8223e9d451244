import { createTextSearcher, iconvCodecs } from '@cleveragents/file-tools-adapter-fs';
import { createFileTools, ToolRegistry } from '@cleveragents/file-tools-application';
import type { ToolFailure, ToolResult } from '@cleveragents/file-tools-domain';
import { openRootedFileSystem, type RootedFileSystemOptions } from '@cleveragents/shared-adapter-fs';
import { DiskRootedWorld } from '@cleveragents/shared-testing';

export type Output = Readonly<Record<string, unknown>>;

/** The six tools in a sandbox of their own on disk. */
export class ToolBench {
  readonly world: DiskRootedWorld;
  readonly registry = new ToolRegistry();

  constructor(world: DiskRootedWorld) {
    this.world = world;
  }

  static async open(options: RootedFileSystemOptions = {}): Promise<ToolBench> {
    const bench = new ToolBench(await DiskRootedWorld.open((root) => openRootedFileSystem(root, options)));
    const tools = { files: bench.world.files, searcher: await createTextSearcher(), codecs: iconvCodecs };
    for (const tool of createFileTools(tools)) bench.registry.register(tool);
    return bench;
  }

  call(tool: string, input: unknown): Promise<ToolResult> {
    return this.registry.execute(`builtin/${tool}`, input);
  }

  async succeed(tool: string, input: Output): Promise<Output> {
    const result = await this.call(tool, input);
    if (!result.success) throw new Error(`${tool}: ${JSON.stringify(result.error)}`);
    return result.output;
  }

  async fail(tool: string, input: unknown): Promise<ToolFailure['error']> {
    const result = await this.call(tool, input);
    if (result.success) throw new Error(`${tool} was not refused: ${JSON.stringify(result.output)}`);
    return result.error;
  }

  close(): Promise<void> {
    return this.world.remove();
  }
}

/** A valid call of each tool, but for the path. */
export const INPUTS: Readonly<Record<string, (path: string) => Output>> = {
  'file-read': (path) => ({ path }),
  'file-write': (path) => ({ path, content: 'evil' }),
  'file-edit': (path) => ({ path, old_text: 'secret', new_text: 'evil' }),
  'file-delete': (path) => ({ path }),
  'file-list': (path) => ({ path, recursive: true }),
  'file-search': (path) => ({ path, pattern: 'secret' }),
};
export const TOOLS = Object.keys(INPUTS);
export const ON_FILES = ['file-read', 'file-write', 'file-edit', 'file-delete'];
