import { describe, expect, it } from '@jest/globals';
import {
  type EngineName,
  type GitEngine,
  GitError,
  type RepositoryFacts,
  type UnsupportedFeature,
  type WorktreeHost,
} from '@cleveragents/git-ports';
import { ChoosingGitEngine, type EngineChoice } from '../src/engine-choice.ts';

const FILTER: UnsupportedFeature = {
  feature: 'filter',
  detail: 'a filter',
  wayOut: 'Use the native engine.',
};
const REFTABLE: UnsupportedFeature = { feature: 'reftable', detail: 'a reftable', wayOut: 'Migrate.' };
const NO_GIT: UnsupportedFeature = { feature: 'git-missing', detail: 'no git', wayOut: 'Install git.' };

/** An engine that refuses for the features given, and otherwise opens as itself. */
function engine(name: EngineName, unsupported: readonly UnsupportedFeature[]): GitEngine {
  return {
    name,
    inspect: async (directory) =>
      directory === '/nothing' ? null : ({ workTree: directory, unsupported } as RepositoryFacts),
    open: async (directory) => {
      if (directory === '/nothing') throw new GitError('GIT_NOT_A_REPOSITORY', 'nothing there');
      const data = { features: unsupported.map(({ feature }) => feature), unsupported };
      if (unsupported.length > 0)
        throw new GitError('GIT_UNSUPPORTED_REPOSITORY', `${name} refuses`, { data });
      return { engine: name } as WorktreeHost;
    },
  };
}

function chooser(
  choice: EngineChoice,
  isomorphic: readonly UnsupportedFeature[],
  native: readonly UnsupportedFeature[],
) {
  const loads: string[] = [];
  const choosing = new ChoosingGitEngine(choice, {
    isomorphic: engine('isomorphic', isomorphic),
    native: async () => {
      loads.push('native');
      return engine('native', native);
    },
  });
  return { choosing, loads };
}

describe('choosing an engine', () => {
  it('takes the isomorphic one where that can do all, and does not even load the other', async () => {
    const { choosing, loads } = chooser('auto', [], []);
    expect((await choosing.open('/project')).engine).toBe('isomorphic');
    expect((await choosing.inspect('/project'))?.chosen?.engine).toBe('isomorphic');
    expect(loads).toEqual([]);
  });

  it('takes the native one where the isomorphic one refuses, and says why', async () => {
    const { choosing } = chooser('auto', [FILTER], []);
    expect((await choosing.open('/project')).engine).toBe('native');
    expect((await choosing.inspect('/project'))?.chosen).toEqual({
      engine: 'native',
      reason: 'the repository uses what needs the installed git: a filter',
    });
  });

  it('names what keeps the isomorphic engine away when no usable git is installed', async () => {
    const { choosing } = chooser('auto', [FILTER], [NO_GIT]);
    expect((await choosing.inspect('/project'))?.unsupported).toEqual([FILTER, NO_GIT]);
    await expect(choosing.open('/project')).rejects.toMatchObject({
      code: 'GIT_UNSUPPORTED_REPOSITORY',
      hint: 'Install git.',
      data: { features: ['filter', 'git-missing'] },
    });
  });

  it('names only what no engine can do when git is installed', async () => {
    const { choosing } = chooser('auto', [FILTER, REFTABLE], [REFTABLE]);
    expect((await choosing.inspect('/project'))?.unsupported).toEqual([REFTABLE]);
    await expect(choosing.open('/project')).rejects.toMatchObject({ data: { features: ['reftable'] } });
  });

  it.each(['isomorphic', 'native'] as const)('takes the %s one when that was asked for', async (name) => {
    const { choosing } = chooser(name, [], []);
    expect((await choosing.open('/project')).engine).toBe(name);
    expect((await choosing.inspect('/project'))?.chosen).toEqual({
      engine: name,
      reason: 'it was asked for',
    });
  });

  it('refuses rather than take another one than was asked for', async () => {
    const { choosing } = chooser('isomorphic', [FILTER], []);
    await expect(choosing.open('/project')).rejects.toMatchObject({ data: { features: ['filter'] } });
  });

  it('goes on with the engine that began, unless that cannot work here any more', async () => {
    const asked = { prefer: 'native' as const };
    expect((await chooser('isomorphic', [], []).choosing.open('/project', asked)).engine).toBe('native');
    expect((await chooser('auto', [], [NO_GIT]).choosing.open('/project', asked)).engine).toBe('isomorphic');
  });

  it('lets every other error through', async () => {
    const { choosing } = chooser('auto', [], []);
    expect(await choosing.inspect('/nothing')).toBeNull();
    await expect(choosing.open('/nothing')).rejects.toMatchObject({ code: 'GIT_NOT_A_REPOSITORY' });
  });
});
