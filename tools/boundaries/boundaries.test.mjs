// The table "who may import whom", row by row: what the linter refuses, and what it lets pass.
import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { ESLint } from 'eslint';
import { writeProjectGraph } from '../project-graph.mjs';
import { root } from '../setup.mjs';

const NX = '@nx/enforce-module-boundaries';
const EXTERNAL = 'no-restricted-imports';
const SYNTAX = 'no-restricted-syntax';

let eslint;
before(() => {
  writeProjectGraph();
  eslint = new ESLint({ cwd: root });
});

/** The boundary rules that refuse `code` as the text of `filePath`, which need not exist. */
async function refusals(filePath, code) {
  const [result] = await eslint.lintText(`${code}\n`, { filePath });
  assert.deepEqual(
    result.messages.filter((message) => message.fatal),
    [],
  );
  const names = result.messages.map((message) => message.ruleId);
  return [...new Set(names)].filter((name) => [NX, EXTERNAL, SYNTAX].includes(name)).sort();
}

const using = (name) => `import { something } from '${name}';\nexport const used = something;`;
const typeOf = (name) => `import type { Something } from '${name}';\nexport type Used = Something;`;
const sideEffect = (name) => `import '${name}';`;
const dynamic = (name) => `export const later = () => import('${name}');`;

const DOMAIN = 'packages/sandbox/domain/src/fixture.ts';
const PORTS = 'packages/sandbox/ports/src/fixture.ts';
const CONTRACT = 'packages/sandbox/ports/src/contract/fixture.ts';
const APPLICATION = 'packages/sandbox/application/src/fixture.ts';
const WORKTREES = 'packages/sandbox/adapter-git-worktree/src/fixture.ts';
const ENGINE = 'packages/sandbox/adapter-git-worktree/src/default-engine.ts';
const NATIVE = 'packages/git/adapter-native/src/fixture.ts';
const NATIVE_PARTS = 'packages/git/adapter-native/src/shared-parts.ts';
const SHARED_ADAPTER = 'packages/shared/adapter-fs/src/fixture.ts';
const CHECKPOINT_FILES = 'packages/checkpoint/adapter-file/src/fixture.ts';
const CHECKPOINT_SERVICE = 'packages/checkpoint/application/src/fixture.ts';
const TOOLS = 'packages/file-tools/application/src/fixture.ts';
const KERNEL = 'packages/shared/kernel/src/fixture.ts';
const MCP = 'packages/mcp/domain/src/fixture.ts';
const APP = 'apps/cli/src/fixture.ts';
const DOUBLES = 'packages/shared/testing/src/fixture.ts';
const COMPOSITION_ROOT = 'apps/cli/src/composition-root.ts';

const FORBIDDEN = [
  ['the kernel imports no workspace package', KERNEL, using('@cleveragents/sandbox-domain'), NX],
  ['the kernel does no I/O', KERNEL, using('node:fs'), EXTERNAL],
  ['the kernel imports no other library', KERNEL, using('iconv-lite'), EXTERNAL],
  ['a domain does no I/O', DOMAIN, using('node:path'), EXTERNAL],
  ['a domain does no I/O, sub-paths included', DOMAIN, using('node:fs/promises'), EXTERNAL],
  ['a domain does no I/O by the bare name', DOMAIN, using('fs'), EXTERNAL],
  ['a domain names no type of Node', DOMAIN, typeOf('node:stream'), EXTERNAL],
  ['a domain loads nothing later', MCP, dynamic('node:fs'), SYNTAX],
  ['a domain imports no ports', DOMAIN, typeOf('@cleveragents/sandbox-ports'), NX],
  ['a domain imports no application', DOMAIN, using('@cleveragents/sandbox-application'), NX],
  ['a domain imports no adapter', DOMAIN, using('@cleveragents/sandbox-adapter-fs'), NX],
  ['a domain imports no shared adapter', DOMAIN, using('@cleveragents/shared-adapter-fs'), NX],
  ['a domain imports no domain of another context', DOMAIN, using('@cleveragents/git-domain'), NX],
  ['a domain imports no undeclared library', DOMAIN, using('isomorphic-git'), EXTERNAL],
  ['a domain knows no container', DOMAIN, using('inversify'), EXTERNAL],
  ['a package reaches no file of another', DOMAIN, using('../../../git/domain/src/objects.ts'), NX],
  ['ports import no application', PORTS, using('@cleveragents/sandbox-application'), NX],
  ['ports import no adapter', PORTS, typeOf('@cleveragents/sandbox-adapter-fs'), NX],
  ['ports import no other context', PORTS, typeOf('@cleveragents/git-ports'), NX],
  ['ports import no library', PORTS, using('zod'), EXTERNAL],
  ['ports do no I/O', PORTS, using('node:assert'), EXTERNAL],
  ['a contract does no I/O', CONTRACT, using('node:fs'), EXTERNAL],
  ['a contract knows no test runner', CONTRACT, using('@jest/globals'), EXTERNAL],
  ['an application imports no adapter', APPLICATION, using('@cleveragents/sandbox-adapter-fs'), NX],
  ['an application imports no shared adapter', APPLICATION, using('@cleveragents/shared-adapter-fs'), NX],
  ['an application does no I/O', APPLICATION, using('node:child_process'), EXTERNAL],
  ['an application knows no container', APPLICATION, using('inversify'), EXTERNAL],
  ['an application imports no other library', APPLICATION, using('ulid'), EXTERNAL],
  ['an application imports no git ports', CHECKPOINT_SERVICE, typeOf('@cleveragents/git-ports'), NX],
  ['an application imports no other context', TOOLS, typeOf('@cleveragents/checkpoint-ports'), NX],
  ['an application imports no other service', TOOLS, using('@cleveragents/checkpoint-application'), NX],
  ['an adapter imports no application', WORKTREES, using('@cleveragents/sandbox-application'), NX],
  [
    'an adapter imports no adapter of its context',
    CHECKPOINT_FILES,
    using('@cleveragents/checkpoint-adapter-memory'),
    NX,
  ],
  [
    'an adapter imports no adapter of another context',
    WORKTREES,
    using('@cleveragents/git-adapter-isomorphic'),
    NX,
  ],
  ['an engine imports no other engine', NATIVE, using('@cleveragents/git-adapter-isomorphic/parts'), NX],
  ['the parts of an engine stay an adapter’s', NATIVE_PARTS, using('@cleveragents/sandbox-ports'), NX],
  ['an adapter imports no context but git', CHECKPOINT_FILES, typeOf('@cleveragents/sandbox-ports'), NX],
  ['an adapter knows no container', WORKTREES, using('inversify'), EXTERNAL],
  ['the one exception stays an adapter', ENGINE, using('@cleveragents/sandbox-application'), NX],
  ['the shared adapter imports no context', SHARED_ADAPTER, typeOf('@cleveragents/git-domain'), NX],
  [
    'no container loads the metadata',
    'packages/sandbox/application/src/container.ts',
    sideEffect('reflect-metadata'),
    EXTERNAL,
  ],
  ['no container does I/O', 'packages/sandbox/application/src/container.ts', using('node:fs'), EXTERNAL],
  ['sources import no test double: domain', DOMAIN, using('@cleveragents/shared-testing'), NX],
  ['sources import no test double: application', APPLICATION, using('@cleveragents/shared-testing'), NX],
  ['sources import no test double: adapter', WORKTREES, using('@cleveragents/shared-testing'), NX],
  ['sources import no test double: app', APP, using('@cleveragents/shared-testing'), NX],
  [
    'a test reaches no file of another package',
    'packages/sandbox/domain/test/fixture.test.ts',
    using('../../../git/domain/src/objects.ts'),
    NX,
  ],
  ['a command of the app knows no container', APP, using('inversify'), EXTERNAL],
  ['a bridge loads no metadata', 'apps/cli/src/bridges/fixture.ts', sideEffect('reflect-metadata'), EXTERNAL],
  ['the program loads no metadata', 'apps/cli/src/main.ts', sideEffect('reflect-metadata'), EXTERNAL],
  ['the test doubles import no service', DOUBLES, using('@cleveragents/sandbox-application'), NX],
  ['the test doubles import no adapter of a context', DOUBLES, using('@cleveragents/sandbox-adapter-fs'), NX],
  ['nothing is exported by star', DOMAIN, "export * from './other.ts';", SYNTAX],
  ['nothing is exported as default', DOMAIN, 'export default 1;', SYNTAX],
];

const ALLOWED = [
  ['the kernel imports its libraries', KERNEL, using('@noble/hashes/sha2.js')],
  ['a domain imports the kernel', DOMAIN, using('@cleveragents/shared-kernel')],
  ['a domain imports zod', DOMAIN, using('zod')],
  ['the kernel imports its own files', KERNEL, using('./coded-error.ts')],
  ['a tool imports its own files', 'tools/bench/fixture.ts', using('./runner.ts')],
  ['ports import their domain', PORTS, typeOf('@cleveragents/sandbox-domain')],
  ['a contract imports node:assert', CONTRACT, using('node:assert/strict')],
  ['an application imports its ports', APPLICATION, typeOf('@cleveragents/sandbox-ports')],
  ['an application imports zod', TOOLS, using('zod')],
  [
    'a container module imports inversify',
    'packages/sandbox/application/src/container.ts',
    using('inversify'),
  ],
  [
    'so does a file named for it',
    'packages/sandbox/application/src/sandbox.container.ts',
    using('inversify'),
  ],
  ['an adapter does I/O', WORKTREES, using('node:fs')],
  ['an adapter imports its ports', WORKTREES, typeOf('@cleveragents/sandbox-ports')],
  ['an adapter imports a contract', WORKTREES, typeOf('@cleveragents/sandbox-ports/contract')],
  ['an adapter imports the shared adapter', WORKTREES, using('@cleveragents/shared-adapter-fs')],
  ['an adapter of a sandbox imports the ports of git', WORKTREES, typeOf('@cleveragents/git-ports')],
  ['an adapter of a sandbox imports the domain of git', WORKTREES, using('@cleveragents/git-domain')],
  [
    'an adapter imports its technology',
    'packages/git/adapter-isomorphic/src/fixture.ts',
    using('isomorphic-git'),
  ],
  ['the default engine imports an adapter of git', ENGINE, using('@cleveragents/git-adapter-isomorphic')],
  [
    'the native engine stands on the parts of the other',
    NATIVE_PARTS,
    using('@cleveragents/git-adapter-isomorphic/parts'),
  ],
  ['the test doubles stand on the shared adapter', DOUBLES, using('@cleveragents/shared-adapter-fs')],
  ['the test doubles stand in for the ports of a context', DOUBLES, typeOf('@cleveragents/sandbox-ports')],
  ['the app imports services', APP, using('@cleveragents/sandbox-application')],
  ['the app imports adapters', APP, using('@cleveragents/git-adapter-isomorphic')],
  ['the app loads a command later', APP, dynamic('./commands/run.ts')],
  ['the composition root imports inversify', COMPOSITION_ROOT, using('inversify')],
  ['a bridge imports inversify', 'apps/cli/src/bridges/fixture.ts', using('inversify')],
  ['the composition root begins with the metadata', COMPOSITION_ROOT, sideEffect('reflect-metadata')],
  [
    'a test imports test doubles',
    'packages/sandbox/domain/test/fixture.test.ts',
    using('@cleveragents/shared-testing'),
  ],
  [
    'a test imports adapters',
    'packages/sandbox/application/test/fixture.test.ts',
    using('@cleveragents/sandbox-adapter-fs'),
  ],
  [
    'features import adapters',
    'features/sandbox/steps/fixture.ts',
    using('@cleveragents/sandbox-adapter-git-worktree'),
  ],
  [
    'features import test doubles',
    'features/sandbox/steps/fixture.ts',
    using('@cleveragents/shared-testing'),
  ],
];

describe('a forbidden import fails', () => {
  for (const [title, file, code, rule] of FORBIDDEN)
    it(`${title}: ${code.split('\n')[0]}`, async () => {
      assert.ok((await refusals(file, code)).includes(rule));
    });
});

describe('an allowed import passes', () => {
  for (const [title, file, code] of ALLOWED)
    it(`${title}: ${code.split('\n')[0]}`, async () => {
      assert.deepEqual(await refusals(file, code), []);
    });
});
