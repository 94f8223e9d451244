import assert from 'node:assert/strict';
import { After, AfterStep, Before, Given, Then, When } from '@cucumber/cucumber';
import type { CommitResult, SandboxContext } from '@cleveragents/sandbox-domain';
import type { Sandbox } from '@cleveragents/sandbox-ports';
import { hasCode, isUlid } from '@cleveragents/shared-kernel';
import { FileCopyDriver } from './file-copy-driver.ts';
import { GitWorktreeDriver } from './git-worktree-driver.ts';
import { InMemoryDriver } from './in-memory-driver.ts';
import type { SandboxDriver, Setup } from './sandbox-driver.ts';

/** One driver and what happened on it. */
class Stage {
  readonly driver: SandboxDriver;
  originalPath: string | undefined;
  sandbox: Sandbox | undefined;
  /** What the last call that may be refused threw. */
  refusal: unknown;
  resolvedPath: string | undefined;
  result: CommitResult | undefined;

  constructor(driver: SandboxDriver) {
    this.driver = driver;
  }
}

/** A scenario plays on every stage at once: in memory, on a copy and on real git. One tagged `@git` plays on git alone. */
interface SandboxWorld {
  stages: readonly Stage[];
}

Before({ tags: '@sandbox and not @git' }, function (this: SandboxWorld) {
  const drivers = [new InMemoryDriver(), new FileCopyDriver(), new GitWorktreeDriver()];
  this.stages = drivers.map((driver) => new Stage(driver));
});

Before({ tags: '@sandbox and @git' }, function (this: SandboxWorld) {
  this.stages = [new Stage(new GitWorktreeDriver())];
});

AfterStep({ tags: '@sandbox' }, async function (this: SandboxWorld) {
  for (const { driver, sandbox } of this.stages)
    if (sandbox !== undefined) await driver.verify(sandbox.status);
});

After({ tags: '@sandbox' }, async function (this: SandboxWorld) {
  for (const { driver } of this.stages) await driver.close();
});

async function onEach(world: SandboxWorld, act: (stage: Stage) => unknown): Promise<void> {
  for (const stage of world.stages) await act(stage);
}

function sandboxOf(stage: Stage): Sandbox {
  assert.ok(stage.sandbox, 'no sandbox was set up');
  return stage.sandbox;
}

function contextOf(stage: Stage): SandboxContext {
  const { context } = sandboxOf(stage);
  assert.ok(context, 'the sandbox was not created');
  return context;
}

/** Runs a call that may be refused; a later step looks at the refusal. */
async function attempt(stage: Stage, call: () => unknown): Promise<void> {
  stage.refusal = undefined;
  try {
    await call();
  } catch (error) {
    stage.refusal = error;
  }
}

/** A step that prepares must not be refused. */
async function prepare(stage: Stage, call: () => unknown): Promise<void> {
  await attempt(stage, call);
  if (stage.refusal !== undefined) throw stage.refusal;
}

function create(stage: Stage, planId: string): () => Promise<unknown> {
  return () => {
    const setup = stage.originalPath === undefined ? {} : { originalPath: stage.originalPath };
    stage.sandbox ??= stage.driver.setUp(setup);
    return stage.sandbox.create(planId);
  };
}

Given(
  'a project with the files {string} and {string}',
  async function (this: SandboxWorld, a: string, b: string) {
    await onEach(this, async (stage) => {
      await stage.driver.makeProject({ [a]: 'first line\n', [b]: 'first line\n' });
    });
  },
);

Given('a directory that is no repository', async function (this: SandboxWorld) {
  await onEach(this, async (stage) => {
    stage.originalPath = await stage.driver.makePlainDirectory();
  });
});

Given('a sandbox for plan {string}', async function (this: SandboxWorld, planId: string) {
  await onEach(this, async (stage) => {
    await prepare(stage, create(stage, planId));
  });
});

Given('a sandbox for plan {string} that was cleaned up', async function (this: SandboxWorld, planId: string) {
  await onEach(this, async (stage) => {
    await prepare(stage, create(stage, planId));
    await prepare(stage, () => sandboxOf(stage).cleanup());
  });
});

Given(
  'the file {string} with {string} is made in the sandbox',
  async function (this: SandboxWorld, path: string, text: string) {
    await onEach(this, async (stage) => {
      await stage.driver.writeSandbox(contextOf(stage), path, text);
    });
  },
);

Given('the file {string} is changed in the sandbox', async function (this: SandboxWorld, path: string) {
  await onEach(this, async (stage) => {
    await stage.driver.writeSandbox(contextOf(stage), path, 'changed in the sandbox\n');
  });
});

Given('the user changes {string} in the project', async function (this: SandboxWorld, path: string) {
  await onEach(this, async (stage) => {
    await stage.driver.writeProject(path, 'changed by the user\n');
  });
});

When('a sandbox is set up', async function (this: SandboxWorld) {
  await onEach(this, (stage) => {
    stage.sandbox = stage.driver.setUp();
  });
});

const FLAWS: Readonly<Record<string, Setup>> = {
  'an empty resource id': { resourceId: '' },
  'an empty original path': { originalPath: '' },
  'no time for git': { gitTimeout: 0 },
};

When(
  /^a sandbox is set up with (an empty resource id|an empty original path|no time for git)$/,
  async function (this: SandboxWorld, flaw: string) {
    await onEach(this, async (stage) => {
      await attempt(stage, () => stage.driver.setUp(FLAWS[flaw]));
    });
  },
);

When('a sandbox is created for plan {string}', async function (this: SandboxWorld, planId: string) {
  await onEach(this, async (stage) => {
    await attempt(stage, create(stage, planId));
  });
});

When('a sandbox of it is created for plan {string}', async function (this: SandboxWorld, planId: string) {
  await onEach(this, async (stage) => {
    await attempt(stage, create(stage, planId));
  });
});

When('the path {string} is resolved', async function (this: SandboxWorld, path: string) {
  await onEach(this, async (stage) => {
    await attempt(stage, async () => (stage.resolvedPath = await sandboxOf(stage).getPath(path)));
  });
});

When('it is committed as {string}', async function (this: SandboxWorld, message: string) {
  await onEach(this, async (stage) => {
    await attempt(stage, async () => (stage.result = await sandboxOf(stage).commit(message)));
  });
});

When('it is rolled back', async function (this: SandboxWorld) {
  await onEach(this, async (stage) => {
    await attempt(stage, () => sandboxOf(stage).rollback());
  });
});

When('it is cleaned up', async function (this: SandboxWorld) {
  await onEach(this, async (stage) => {
    await prepare(stage, () => sandboxOf(stage).cleanup());
  });
});

Then('the sandbox is {string}', async function (this: SandboxWorld, status: string) {
  await onEach(this, (stage) => {
    assert.equal(sandboxOf(stage).status, status);
  });
});

Then('the sandbox belongs to plan {string}', async function (this: SandboxWorld, planId: string) {
  await onEach(this, (stage) => {
    assert.equal(contextOf(stage).planId, planId);
  });
});

Then('it says which strategy made it', async function (this: SandboxWorld) {
  await onEach(this, (stage) => {
    assert.equal(contextOf(stage).metadata.strategy, stage.driver.strategy);
  });
});

Then('its folder exists and holds {string}', async function (this: SandboxWorld, path: string) {
  await onEach(this, async (stage) => {
    assert.equal(await stage.driver.folderExists(contextOf(stage)), true);
    assert.notEqual(await stage.driver.readSandbox(contextOf(stage), path), null);
  });
});

Then('its folder does not exist', async function (this: SandboxWorld) {
  await onEach(this, async (stage) => {
    assert.equal(await stage.driver.folderExists(contextOf(stage)), false);
  });
});

Then('its branch does not exist', async function (this: SandboxWorld) {
  await onEach(this, async (stage) => {
    assert.equal(await stage.driver.branchExists(contextOf(stage)), false);
  });
});

Then('git takes the name of its branch', async function (this: SandboxWorld) {
  await onEach(this, async (stage) => {
    assert.equal(stage.refusal, undefined);
    assert.equal(await stage.driver.gitTakesBranch(contextOf(stage)), true);
  });
});

Then('its id is a ULID', async function (this: SandboxWorld) {
  await onEach(this, (stage) => {
    assert.ok(isUlid(sandboxOf(stage).sandboxId));
  });
});

Then('it has no context', async function (this: SandboxWorld) {
  await onEach(this, (stage) => {
    assert.equal(sandboxOf(stage).context, null);
  });
});

Then('it is refused as invalid: {string}', async function (this: SandboxWorld, message: string) {
  await onEach(this, (stage) => {
    assert.ok(hasCode(stage.refusal, 'VALIDATION_FAILED'), String(stage.refusal));
    assert.equal(stage.refusal.message, message);
  });
});

Then('the creation is refused with code {string}', async function (this: SandboxWorld, code: string) {
  await onEach(this, (stage) => {
    assert.ok(hasCode(stage.refusal, code), String(stage.refusal));
    assert.equal(stage.refusal.name, 'SandboxCreationError');
    assert.equal(sandboxOf(stage).status, 'pending');
  });
});

Then("the commit is refused because of the user's work", async function (this: SandboxWorld) {
  await onEach(this, (stage) => {
    assert.ok(hasCode(stage.refusal, stage.driver.codeForUsersWork), String(stage.refusal));
    assert.equal(stage.refusal.name, 'SandboxCommitError');
  });
});

Then('the call is refused in this state', async function (this: SandboxWorld) {
  await onEach(this, (stage) => {
    assert.ok(hasCode(stage.refusal, 'SANDBOX_INVALID_STATE'), String(stage.refusal));
    assert.equal(stage.refusal.name, 'SandboxStateError');
  });
});

Then('the resolved path lies inside the sandbox', async function (this: SandboxWorld) {
  await onEach(this, (stage) => {
    assert.equal(stage.refusal, undefined);
    assert.ok(stage.resolvedPath?.startsWith(`${contextOf(stage).sandboxPath}/`), stage.resolvedPath);
  });
});

Then(
  'the commit succeeds with {int} added, {int} changed and {int} deleted files',
  async function (this: SandboxWorld, added: number, changed: number, deleted: number) {
    await onEach(this, (stage) => {
      assert.equal(stage.refusal, undefined);
      assert.ok(stage.result);
      const { success, addedFiles, changedFiles, deletedFiles } = stage.result;
      assert.deepEqual(
        { success, added: addedFiles.length, changed: changedFiles.length, deleted: deletedFiles.length },
        { success: true, added, changed, deleted },
      );
    });
  },
);

Then(
  'the project holds {string} with {string}',
  async function (this: SandboxWorld, path: string, text: string) {
    await onEach(this, async (stage) => {
      assert.equal(await stage.driver.readProject(path), text);
    });
  },
);

Then('the project does not hold {string}', async function (this: SandboxWorld, path: string) {
  await onEach(this, async (stage) => {
    assert.equal(await stage.driver.readProject(path), null);
  });
});

Then("the user's {string} is untouched", async function (this: SandboxWorld, path: string) {
  await onEach(this, async (stage) => {
    assert.equal(await stage.driver.readProject(path), 'changed by the user\n');
  });
});

Then('the sandbox does not hold {string}', async function (this: SandboxWorld, path: string) {
  await onEach(this, async (stage) => {
    assert.equal(await stage.driver.readSandbox(contextOf(stage), path), null);
  });
});
