import { describe, expect, it } from '@jest/globals';
import { InMemoryPlanRepository, PlanLifecycleService } from '@cleveragents/sandbox-application';
import type { Resource } from '@cleveragents/sandbox-domain';
import type { Sandbox } from '@cleveragents/sandbox-ports';
import {
  InMemoryProjects,
  InMemorySandboxFactory,
  SeededIds,
  SteppingClock,
} from '@cleveragents/shared-testing';

const resource: Resource = { resourceId: 'app', type: 'git-checkout', path: '/app', project: 'local/app' };

interface Bench {
  readonly plans: PlanLifecycleService;
  readonly projects: InMemoryProjects;
  /** The service again over the same store, as another process has it. */
  readonly again: () => PlanLifecycleService;
  readonly write: (planId: string, path: string, text: string) => Promise<void>;
}

function openBench(
  factory?: (parts: ConstructorParameters<typeof InMemorySandboxFactory>[0]) => InMemorySandboxFactory,
): Bench {
  const projects = new InMemoryProjects();
  projects.at('/app').set('README.md', 'read me\n');
  const parts = { projects, clock: new SteppingClock(), ids: new SeededIds() };
  const sandboxes = [factory?.(parts) ?? new InMemorySandboxFactory(parts)];
  const repository = new InMemoryPlanRepository();
  const open = (): PlanLifecycleService =>
    new PlanLifecycleService({ plans: repository, sandboxes, clock: parts.clock });
  const plans = open();
  return {
    plans,
    projects,
    again: open,
    write: (planId, path, text) =>
      plans.execute(planId, {
        label: `write ${path}`,
        run: async ({ path: root }) => void projects.at(root).set(path, text),
      }),
  };
}

describe('a plan', () => {
  it('goes from creation to apply, each step in its history', async () => {
    const { plans, projects, write } = openBench();
    await plans.create({ planId: 'a', resource });
    await write('a', 'new.txt', 'one\ntwo\n');
    const summary = await plans.apply('a', { message: 'add' });
    expect(summary).toMatchObject({
      planId: 'a',
      project: 'local/app',
      filesChanged: 1,
      insertions: 2,
      deletions: 0,
      cleanup: { worktreeRemoved: true, branchDeleted: true, rescuedTo: null, leftOver: [] },
    });
    expect(projects.at('/app').get('new.txt')).toBe('one\ntwo\n');
    const plan = await plans.show('a');
    expect(plan.status).toBe('applied');
    expect(plan.history.map(({ kind }) => kind)).toEqual(['created', 'executed', 'applied', 'cleaned_up']);
  });

  it('survives its process at every step', async () => {
    const { plans, projects, again, write } = openBench();
    await plans.create({ planId: 'a', resource });
    await write('a', 'new.txt', 'new\n');
    expect((await again().changes('a')).files.map(({ path }) => path)).toEqual(['new.txt']);
    await again().apply('a');
    await again().rollback('a');
    expect(projects.at('/app').has('new.txt')).toBe(false);
    expect((await again().show('a')).status).toBe('rolled_back');
  });

  it('can be taken back after its sandbox was cleaned up by the apply', async () => {
    const { plans, projects, write } = openBench();
    await plans.create({ planId: 'a', resource });
    await write('a', 'new.txt', 'new\n');
    await plans.apply('a');
    await plans.rollback('a');
    expect(projects.at('/app').has('new.txt')).toBe(false);
  });

  it('keeps its sandbox when asked to', async () => {
    const { plans, write } = openBench();
    await plans.create({ planId: 'a', resource });
    await write('a', 'new.txt', 'new\n');
    expect((await plans.apply('a', { keepSandbox: true })).cleanup).toBeNull();
    expect((await plans.cleanup('a')).worktreeRemoved).toBe(true);
    expect((await plans.show('a')).status).toBe('applied');
  });

  it('can be undone after an apply however often its sandbox was cleaned up', async () => {
    const { plans, projects, write } = openBench();
    await plans.create({ planId: 'a', resource });
    await write('a', 'new.txt', 'new\n');
    await plans.apply('a');
    await plans.cleanup('a');
    await plans.cleanup('a');
    await plans.rollback('a');
    expect(projects.at('/app').has('new.txt')).toBe(false);
  });

  it('stays open, with the refusal in its history, when an apply is refused', async () => {
    const { plans, projects, write } = openBench();
    await plans.create({ planId: 'a', resource });
    await write('a', 'README.md', 'ours\n');
    projects.at('/app').set('README.md', 'theirs\n');
    await expect(plans.apply('a')).rejects.toMatchObject({ code: 'SANDBOX_TARGET_DIRTY' });
    const plan = await plans.show('a');
    expect(plan.status).toBe('open');
    expect(plan.history.at(-1)).toMatchObject({
      kind: 'apply_refused',
      data: { code: 'SANDBOX_TARGET_DIRTY' },
    });
    projects.at('/app').set('README.md', 'read me\n');
    expect((await plans.apply('a')).filesChanged).toBe(1);
  });

  it('writes down work that fails, and passes the failure on', async () => {
    const { plans } = openBench();
    await plans.create({ planId: 'a', resource });
    const work = { label: 'npm test', run: () => Promise.reject(new Error('it broke')) };
    await expect(plans.execute('a', work)).rejects.toThrow('it broke');
    expect((await plans.show('a')).history.at(-1)?.detail).toBe('npm test failed: it broke');
  });

  it('keeps the outcome of work that says what to keep', async () => {
    const { plans } = openBench();
    await plans.create({ planId: 'a', resource });
    await plans.execute('a', {
      label: 'npm test',
      run: async () => 7,
      describe: (exitCode) => ({ exitCode }),
    });
    expect((await plans.show('a')).history.at(-1)).toMatchObject({
      detail: 'npm test',
      data: { exitCode: 7 },
    });
  });
});

describe('a plan in which a command still runs', () => {
  it('is neither applied nor rolled back nor cleaned up under it', async () => {
    const { plans, again } = openBench();
    await plans.create({ planId: 'a', resource });
    await plans.execute('a', {
      label: 'npm test',
      run: async () => {
        const busy = {
          code: 'PLAN_BUSY',
          message: expect.stringContaining('npm test'),
          data: { work: ['npm test'] },
        };
        await expect(again().apply('a')).rejects.toMatchObject(busy);
        await expect(again().rollback('a')).rejects.toMatchObject(busy);
        await expect(again().cleanup('a')).rejects.toMatchObject(busy);
      },
    });
    expect((await plans.apply('a')).filesChanged).toBe(0);
  });

  it('is free again when the command fails', async () => {
    const { plans } = openBench();
    await plans.create({ planId: 'a', resource });
    const work = { label: 'npm test', run: () => Promise.reject(new Error('it broke')) };
    await expect(plans.execute('a', work)).rejects.toThrow('it broke');
    expect((await plans.cleanup('a')).worktreeRemoved).toBe(true);
  });
});

describe('a plan id', () => {
  it('cannot be empty', async () => {
    await expect(openBench().plans.create({ planId: '', resource })).rejects.toThrow(
      'plan_id cannot be empty',
    );
  });

  it('is taken as long as its plan is open or applied', async () => {
    const { plans } = openBench();
    await plans.create({ planId: 'a', resource });
    await expect(plans.create({ planId: 'a', resource })).rejects.toMatchObject({ code: 'PLAN_EXISTS' });
    await plans.apply('a');
    await expect(plans.create({ planId: 'a', resource })).rejects.toMatchObject({ code: 'PLAN_EXISTS' });
  });

  it('may be used again once its plan was discarded, and keeps the history', async () => {
    const { plans } = openBench();
    await plans.create({ planId: 'a', resource });
    await plans.cleanup('a');
    const plan = await plans.create({ planId: 'a', resource });
    expect(plan.status).toBe('open');
    expect(plan.history.map(({ kind }) => kind)).toEqual(['created', 'cleaned_up', 'created']);
  });

  it('that nobody knows is refused by every call', async () => {
    const { plans } = openBench();
    const unknown = { code: 'PLAN_NOT_FOUND' };
    await expect(plans.show('b')).rejects.toMatchObject(unknown);
    await expect(plans.apply('b')).rejects.toMatchObject(unknown);
    await expect(plans.changes('b')).rejects.toMatchObject(unknown);
    await expect(plans.rollback('b')).rejects.toMatchObject(unknown);
    await expect(plans.cleanup('b')).rejects.toMatchObject(unknown);
    await expect(plans.refresh('b')).rejects.toMatchObject(unknown);
  });
});

describe('a plan without a sandbox', () => {
  const refused = { code: 'PLAN_WITHOUT_SANDBOX', hint: expect.stringContaining('plan restore') };

  it('refuses every call that needs one, and says how to get one', async () => {
    const { plans, write } = openBench();
    await plans.create({ planId: 'a', resource });
    await plans.cleanup('a');
    await expect(write('a', 'new.txt', 'new\n')).rejects.toMatchObject(refused);
    await expect(plans.changes('a')).rejects.toMatchObject(refused);
    await expect(plans.patch('a')).rejects.toMatchObject(refused);
    await expect(plans.previewApply('a')).rejects.toMatchObject(refused);
    await expect(plans.refresh('a')).rejects.toMatchObject(refused);
    await expect(plans.apply('a')).rejects.toMatchObject(refused);
    await expect(plans.rollback('a')).rejects.toMatchObject(refused);
  });
});

describe('a plan that is applied', () => {
  it('says how to see and how to undo it when it is asked for what comes before', async () => {
    const { plans, write } = openBench();
    await plans.create({ planId: 'a', resource });
    await write('a', 'new.txt', 'new\n');
    await plans.apply('a');
    await expect(plans.apply('a')).rejects.toMatchObject({
      code: 'SANDBOX_INVALID_STATE',
      message: 'Plan "a" is applied already',
      hint: expect.stringContaining('plan rollback'),
    });
    await expect(plans.patch('a')).rejects.toThrow('applied already');
  });
});

describe('what cannot be made', () => {
  class FailingFactory extends InMemorySandboxFactory {
    override make(place: Parameters<InMemorySandboxFactory['make']>[0]): Sandbox {
      const sandbox = super.make(place);
      sandbox.create = () => Promise.reject(new Error('disk full'));
      return sandbox;
    }
  }

  it('leaves no plan behind', async () => {
    const { plans } = openBench((parts) => new FailingFactory(parts));
    await expect(plans.create({ planId: 'a', resource })).rejects.toThrow('disk full');
    expect(await plans.list()).toEqual({ plans: [], unreadable: [] });
  });

  it('keeps its plan when something of it is left behind, so that the next creation finds that', async () => {
    const made: string[] = [];
    class HalfFactory extends InMemorySandboxFactory {
      override make(place: Parameters<InMemorySandboxFactory['make']>[0]): Sandbox {
        const sandbox = super.make(place);
        const left = Object.assign(new Error('disk full'), { data: { undone: false } });
        sandbox.create = () => Promise.reject(left);
        made.push(sandbox.sandboxId);
        return sandbox;
      }
    }
    const { plans } = openBench((parts) => new HalfFactory(parts));
    await expect(plans.create({ planId: 'a', resource })).rejects.toThrow('disk full');
    expect((await plans.show('a')).sandbox).toMatchObject({ status: 'pending', sandboxId: made[0] });
    expect((await plans.create({ planId: 'a', resource })).sandbox).toMatchObject({
      status: 'created',
      sandboxId: made[0],
    });
  });

  it('is a resource that no strategy is installed for', async () => {
    const { plans } = openBench();
    const directory = { ...resource, type: 'directory' };
    await expect(plans.create({ planId: 'a', resource: directory })).rejects.toMatchObject({
      code: 'PLAN_STRATEGY_MISSING',
    });
  });
});

describe('the plan service as a guard for checkpoints', () => {
  it('says whether a plan is applied and where its sandbox is', async () => {
    const { plans } = openBench();
    expect([await plans.isApplied('a'), await plans.sandboxPath('a')]).toEqual([false, null]);
    const plan = await plans.create({ planId: 'a', resource });
    const path = plan.sandbox.status === 'created' ? plan.sandbox.context.sandboxPath : null;
    expect([await plans.isApplied('a'), await plans.sandboxPath('a')]).toEqual([false, path]);
    await plans.apply('a');
    expect([await plans.isApplied('a'), await plans.sandboxPath('a')]).toEqual([true, null]);
  });
});

describe('a clean-up that fails after an apply', () => {
  class StuckFactory extends InMemorySandboxFactory {
    override reopen(...place: Parameters<InMemorySandboxFactory['reopen']>): Sandbox {
      const sandbox = super.reopen(...place);
      sandbox.cleanup = () =>
        Promise.reject(Object.assign(new Error('busy'), { code: 'SANDBOX_CLEANUP_FAILED' }));
      return sandbox;
    }
  }

  it('does not take the apply back, and is told', async () => {
    const { plans, write } = openBench((parts) => new StuckFactory(parts));
    await plans.create({ planId: 'a', resource });
    await write('a', 'new.txt', 'new\n');
    const { cleanup } = await plans.apply('a');
    expect(cleanup).toMatchObject({ worktreeRemoved: false, leftOver: [{ reason: 'busy' }] });
    expect((await plans.show('a')).status).toBe('applied');
  });

  it('is finished by the next apply, which applies nothing again', async () => {
    const { plans, again, write } = openBench((parts) => new StuckFactory(parts));
    await plans.create({ planId: 'a', resource });
    await write('a', 'new.txt', 'new\n');
    const first = await plans.apply('a');
    const second = await again().apply('a');
    expect(second).toEqual(first);
    expect((await plans.show('a')).history.filter(({ kind }) => kind === 'applied')).toHaveLength(1);
  });

  it('is final once it succeeded: the plan cannot be applied twice', async () => {
    const { plans, write } = openBench();
    await plans.create({ planId: 'a', resource });
    await write('a', 'new.txt', 'new\n');
    await plans.apply('a');
    await expect(plans.apply('a')).rejects.toMatchObject({ code: 'SANDBOX_INVALID_STATE' });
  });
});

describe('a store that fails after the fact', () => {
  class FailingRepository extends InMemoryPlanRepository {
    isFull = false;
    override async save(plan: Parameters<InMemoryPlanRepository['save']>[0]): Promise<void> {
      if (this.isFull) throw Object.assign(new Error('disk full'), { code: 'PLAN_STORE_FAILED' });
      return super.save(plan);
    }
  }

  function openFailing(): {
    plans: PlanLifecycleService;
    store: FailingRepository;
    projects: InMemoryProjects;
  } {
    const projects = new InMemoryProjects();
    projects.at('/app').set('README.md', 'read me\n');
    const parts = { projects, clock: new SteppingClock(), ids: new SeededIds() };
    const store = new FailingRepository();
    const sandboxes = [new InMemorySandboxFactory(parts)];
    return {
      plans: new PlanLifecycleService({ plans: store, sandboxes, clock: parts.clock }),
      store,
      projects,
    };
  }

  it('does not hide why an apply was refused', async () => {
    const { plans, store, projects } = openFailing();
    await plans.create({ planId: 'a', resource });
    const run = async ({ path }: { path: string }): Promise<void> =>
      void projects.at(path).set('README.md', 'ours\n');
    await plans.execute('a', { label: 'work', run });
    projects.at('/app').set('README.md', 'theirs\n');
    store.isFull = true;
    await expect(plans.apply('a')).rejects.toMatchObject({ code: 'SANDBOX_TARGET_DIRTY' });
  });

  it('does not hide why work failed', async () => {
    const { plans, store } = openFailing();
    await plans.create({ planId: 'a', resource });
    const run = async (): Promise<void> => {
      store.isFull = true;
      throw new Error('it broke');
    };
    await expect(plans.execute('a', { label: 'work', run })).rejects.toThrow('it broke');
  });

  it('does not make work that was done once a failure of the work', async () => {
    const { plans, store } = openFailing();
    await plans.create({ planId: 'a', resource });
    const run = async (): Promise<void> => void (store.isFull = true);
    await expect(plans.execute('a', { label: 'work', run })).rejects.toMatchObject({
      code: 'PLAN_STORE_FAILED',
    });
    expect((await plans.show('a')).history.map(({ kind }) => kind)).toEqual(['created']);
  });
});
