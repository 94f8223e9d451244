import { type TextSearcher, TextSearcherToken } from '@cleveragents/file-tools-ports';
import { type RootedFileSystem, RootedFileSystemToken } from '@cleveragents/shared-kernel';
import { ContainerModule } from 'inversify';
import { ToolRegistryToken } from './file-tools.tokens.ts';
import { registerFileTools } from './register-file-tools.ts';
import { ToolRegistry } from './tool-registry.ts';

/** Binds a {@link ToolRegistry} that holds the six tools. The container must bind a rooted file system and a searcher. */
export const fileToolsModule: ContainerModule = new ContainerModule(({ bind }) => {
  bind(ToolRegistryToken)
    .toResolvedValue(
      (files: RootedFileSystem, searcher: TextSearcher) => {
        const registry = new ToolRegistry();
        registerFileTools(registry, { files, searcher });
        return registry;
      },
      [RootedFileSystemToken, TextSearcherToken],
    )
    .inSingletonScope();
});
