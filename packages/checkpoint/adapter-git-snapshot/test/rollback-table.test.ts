import { describe, expect, it } from '@jest/globals';
import { createHash } from 'node:crypto';
import { chmodSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { GitSnapshotStore } from '@cleveragents/checkpoint-adapter-git-snapshot';
import { createRepository, temporaryDirectory, type TemporaryRepository } from '@cleveragents/shared-testing';
import { PLAN, serviceFor } from './support/plan-on-disk.ts';

/** What happens to `path` between the checkpoint and the rollback. `created` is for paths that were not there. */
const CHANGES: Readonly<Record<string, (at: string) => void>> = {
  same: () => undefined,
  changed: (at) => writeFileSync(at, 'new'),
  deleted: (at) => rmSync(at),
  'mode changed': (at) => chmodSync(at, 0o600),
  'replaced by a directory': (at) => (rmSync(at), mkdirSync(at), writeFileSync(join(at, 'inside'), 'new')),
  'replaced by a link': (at) => (rmSync(at), symlinkSync('elsewhere', at)),
  'replaced by a file': (at) => (rmSync(at), writeFileSync(at, 'another inode')),
};

/** How git sees `path`, at the checkpoint and at the rollback. */
const KINDS = [
  'tracked',
  'untracked',
  'ignored then and now',
  'ignored then',
  'ignored now',
  'tracked and ignored',
] as const;
type Kind = (typeof KINDS)[number];

/** `restore`: the path is as it was at the checkpoint. `keep REASON`: it is as it was before the rollback, and named. */
function expected(kind: Kind, change: string): string {
  if (kind === 'ignored then and now') return change === 'deleted' ? 'nothing' : 'keep ignored';
  if (kind === 'ignored then') return change === 'deleted' ? 'nothing' : 'keep not-covered-then';
  if (change === 'same') return 'nothing';
  // As a directory it is another path to git: ignored as a whole, and so held by nothing.
  const isIgnoredNow = kind === 'ignored now' || kind === 'tracked and ignored';
  return isIgnoredNow && change === 'replaced by a directory' ? 'keep ignored' : 'restore';
}

async function ignore(repository: TemporaryRepository, isIgnored: boolean): Promise<void> {
  await repository.write('.git/info/exclude', isIgnored ? '/path\n' : '');
}

async function repositoryWith(kind: Kind): Promise<TemporaryRepository> {
  const repository = await createRepository({ files: { other: 'other' } });
  await repository.write('path', 'old');
  if (kind.startsWith('tracked')) await repository.git('add', 'path');
  await ignore(repository, kind.startsWith('ignored then') || kind === 'tracked and ignored');
  return repository;
}

async function stateOf(repository: TemporaryRepository): Promise<readonly string[]> {
  const { entries } = await repository.snapshot({ leaveOut: ['.git', 'other'] });
  return [...entries].map(([path, facts]) => `${path}: ${facts}`);
}

const newStore = (): GitSnapshotStore =>
  new GitSnapshotStore({ path: join(temporaryDirectory().path, 'store.git'), durability: 'process' });

describe.each(KINDS)('a path that is %s', (kind) => {
  it.each(Object.keys(CHANGES))(
    'and was %s since: restored or kept by the table, and named',
    async (change) => {
      await using repository = await repositoryWith(kind);
      const service = serviceFor(newStore(), repository.root);
      const atCheckpoint = await stateOf(repository);
      const { checkpoint } = await service.captureCheckpoint({ planId: PLAN });
      CHANGES[change]?.(repository.path('path'));
      await ignore(
        repository,
        kind === 'ignored now' || kind === 'ignored then and now' || kind === 'tracked and ignored',
      );
      const before = await stateOf(repository);
      const result = await service.rollbackToCheckpoint(PLAN, checkpoint.checkpointId);
      const outcome = expected(kind, change);
      const after = await stateOf(repository);
      if (outcome === 'restore') {
        expect(after).toEqual(atCheckpoint);
        expect(result.restoredFiles).toContain('path');
      } else {
        expect(after).toEqual(before);
        expect(result.restoredFiles).toEqual([]);
        const reason = outcome.replace('keep ', '');
        const named = result.keptFiles.find(({ path }) => path === 'path' || path === 'path/inside');
        expect(result.keptFiles.map((kept) => kept.reason)).toEqual(
          outcome === 'nothing' ? [] : expect.arrayContaining([reason]),
        );
        expect(named === undefined).toBe(outcome === 'nothing');
      }
      const undone = await service.rollbackToCheckpoint(PLAN, result.safetyCheckpointId ?? '');
      expect(undone.fromCheckpointId).toBe(result.safetyCheckpointId);
      expect(await stateOf(repository)).toEqual(before);
    },
  );
});

/** What lies at `path` at the rollback where nothing lay at the checkpoint; `paths` are what a result names of it. */
const FORMS: Readonly<Record<string, { make: (at: string) => void; paths: readonly string[] }>> = {
  'a file': { make: (at) => writeFileSync(at, 'new'), paths: ['path'] },
  'a file of an odd mode': { make: (at) => writeFileSync(at, 'new', { mode: 0o600 }), paths: ['path'] },
  'a link': { make: (at) => symlinkSync('elsewhere', at), paths: ['path'] },
  'an empty directory': { make: (at) => mkdirSync(at), paths: ['path'] },
  'a directory with a file': {
    make: (at) => (mkdirSync(at), writeFileSync(join(at, 'inside'), 'new')),
    paths: ['path/inside'],
  },
};

describe.each(Object.entries(FORMS))('%s that was not there at the checkpoint', (_form, { make, paths }) => {
  it.each([
    ['untracked', false, 'deleted'],
    ['tracked', true, 'deleted'],
    ['ignored', false, 'kept'],
  ])(
    'and is %s now is deleted only when the safety checkpoint holds it',
    async (kind, isTracked, outcome) => {
      await using repository = await createRepository({ files: { other: 'other' } });
      const service = serviceFor(newStore(), repository.root);
      const { checkpoint } = await service.captureCheckpoint({ planId: PLAN });
      make(repository.path('path'));
      if (isTracked) await repository.git('add', '--all', '.');
      await ignore(repository, kind === 'ignored');
      const before = await stateOf(repository);
      const result = await service.rollbackToCheckpoint(PLAN, checkpoint.checkpointId);
      expect(result.restoredFiles).toEqual(outcome === 'deleted' ? paths : []);
      expect(result.keptFiles).toEqual(outcome === 'deleted' ? [] : [{ path: 'path', reason: 'ignored' }]);
      expect(await stateOf(repository)).toEqual(outcome === 'deleted' ? [] : before);
      await service.rollbackToCheckpoint(PLAN, result.safetyCheckpointId ?? '');
      expect(await stateOf(repository)).toEqual(before);
    },
  );
});

describe("scope 'change-set' on disk", () => {
  const changes = Object.keys(CHANGES).filter((change) => change !== 'same');

  it.each(changes)('keeps and names a path that somebody else %s', async (change) => {
    await using repository = await repositoryWith('untracked');
    const service = serviceFor(newStore(), repository.root);
    const { checkpoint } = await service.captureCheckpoint({ planId: PLAN });
    CHANGES[change]?.(repository.path('path'));
    const before = await stateOf(repository);
    const result = await service.rollbackToCheckpoint(PLAN, checkpoint.checkpointId, {
      scope: 'change-set',
      changeSet: [],
    });
    expect(await stateOf(repository)).toEqual(before);
    expect(result.keptFiles).toContainEqual({ path: 'path', reason: 'not-written-by-tools' });
  });

  it.each<readonly [string, string | null, 'restored' | 'changed-since-written']>([
    ['changed', 'new', 'restored'],
    ['changed', 'what a tool wrote before', 'changed-since-written'],
    ['deleted', null, 'restored'],
    ['deleted', 'what a tool wrote before', 'changed-since-written'],
    ['mode changed', 'old', 'restored'],
    ['replaced by a file', 'another inode', 'restored'],
    ['replaced by a link', 'what a tool wrote before', 'changed-since-written'],
    ['replaced by a directory', 'what a tool wrote before', 'changed-since-written'],
  ])('of a path that was %s, where a tool last left %j: %s', async (change, written, outcome) => {
    await using repository = await repositoryWith('untracked');
    const service = serviceFor(newStore(), repository.root);
    const atCheckpoint = await stateOf(repository);
    const { checkpoint } = await service.captureCheckpoint({ planId: PLAN });
    CHANGES[change]?.(repository.path('path'));
    const before = await stateOf(repository);
    const afterHash = written === null ? null : createHash('sha256').update(written).digest('hex');
    const result = await service.rollbackToCheckpoint(PLAN, checkpoint.checkpointId, {
      scope: 'change-set',
      changeSet: [{ path: 'path', afterHash }],
    });
    expect(await stateOf(repository)).toEqual(outcome === 'restored' ? atCheckpoint : before);
    expect(result.restoredFiles).toEqual(outcome === 'restored' ? ['path'] : []);
    if (outcome !== 'restored') expect(result.keptFiles).toContainEqual({ path: 'path', reason: outcome });
  });

  it.each<readonly [string, string, 'deleted' | 'kept']>([
    ['what a tool made', 'new', 'deleted'],
    ['what a tool made and somebody changed', 'what a tool wrote before', 'kept'],
  ])('%s since the checkpoint', async (_what, written, outcome) => {
    await using repository = await createRepository({ files: { other: 'other' } });
    const service = serviceFor(newStore(), repository.root);
    const { checkpoint } = await service.captureCheckpoint({ planId: PLAN });
    await repository.write('path', 'new');
    const result = await service.rollbackToCheckpoint(PLAN, checkpoint.checkpointId, {
      scope: 'change-set',
      changeSet: [{ path: 'path', afterHash: createHash('sha256').update(written).digest('hex') }],
    });
    expect(result.restoredFiles).toEqual(outcome === 'deleted' ? ['path'] : []);
    expect((await stateOf(repository)).length).toBe(outcome === 'deleted' ? 0 : 1);
  });
});
