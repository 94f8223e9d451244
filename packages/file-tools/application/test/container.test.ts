import { expect, it } from '@jest/globals';
import { JavaScriptTextSearcher } from '@cleveragents/file-tools-adapter-fs';
import { type ToolRegistry, ToolRegistryToken } from '@cleveragents/file-tools-application';
import { fileToolsModule } from '@cleveragents/file-tools-application/container';
import { TextSearcherToken } from '@cleveragents/file-tools-ports';
import { RootedFileSystemToken } from '@cleveragents/shared-kernel';
import { InMemoryRootedFileSystem } from '@cleveragents/shared-testing';
import { Container } from 'inversify';

it('the module makes a registry with the six tools', async () => {
  const container = new Container();
  await container.load(fileToolsModule);
  container.bind(RootedFileSystemToken).toConstantValue(new InMemoryRootedFileSystem());
  container.bind(TextSearcherToken).toConstantValue(new JavaScriptTextSearcher());
  expect(container.get<ToolRegistry>(ToolRegistryToken).list()).toHaveLength(6);
});
