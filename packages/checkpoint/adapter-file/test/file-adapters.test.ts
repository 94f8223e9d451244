import { describe, expect, it } from '@jest/globals';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { FileCheckpointRepository, FileCorrectionLog } from '@cleveragents/checkpoint-adapter-file';
import { type CheckpointDraft, checkpointDraft, retentionPolicy } from '@cleveragents/checkpoint-domain';
import { checkpointRepositoryContract, correctionLogContract } from '@cleveragents/checkpoint-ports/contract';
import { parsePlanId, planKey } from '@cleveragents/shared-kernel';
import { runContract, SeededIds, temporaryDirectory } from '@cleveragents/shared-testing';

const planId = parsePlanId('the plan');
const folderOf = (directory: string): string => join(directory, planKey(planId));

runContract(checkpointRepositoryContract, {
  open: () => {
    const directory = join(temporaryDirectory().path, 'not', 'yet');
    return {
      repository: new FileCheckpointRepository({ directory }),
      reopen: async () => new FileCheckpointRepository({ directory }),
    };
  },
  capabilities: { sharedBetweenProcesses: true },
});
runContract(correctionLogContract, {
  open: () => new FileCorrectionLog({ directory: join(temporaryDirectory().path, 'not', 'yet') }),
});

const ids = new SeededIds();
function draft(): CheckpointDraft {
  return checkpointDraft({ planId, sandboxRef: 'ref' }, { checkpointId: ids.next(), createdAt: new Date(0) });
}

describe('a record on disk', () => {
  it('is one JSON file, private to its user', async () => {
    const { path: directory } = temporaryDirectory();
    const { checkpointId } = draft();
    const repository = new FileCheckpointRepository({ directory });
    await repository.append({ ...draft(), checkpointId }, retentionPolicy());
    expect(await readdir(folderOf(directory))).toEqual([`${checkpointId}.json`]);
    const stored: unknown = JSON.parse(
      await readFile(join(folderOf(directory), `${checkpointId}.json`), 'utf8'),
    );
    expect(stored).toMatchObject({
      schema_version: 1,
      checkpoint_id: checkpointId,
      plan_id: planId,
      sequence: 1,
    });
  });

  it('keeps the fields that a later version wrote when this one changes it', async () => {
    const { path: directory } = temporaryDirectory();
    const repository = new FileCheckpointRepository({ directory });
    const { checkpoint } = await repository.append(draft(), retentionPolicy());
    const file = join(folderOf(directory), `${checkpoint.checkpointId}.json`);
    const stored = JSON.parse(await readFile(file, 'utf8')) as object;
    await writeFile(file, JSON.stringify({ ...stored, colour: 'blue', metadata: { mood: 'good' } }));
    await repository.update(checkpoint.checkpointId, { pinned: true });
    expect(JSON.parse(await readFile(file, 'utf8'))).toMatchObject({
      colour: 'blue',
      metadata: { mood: 'good' },
      pinned: true,
    });
  });

  it.each([
    ['no JSON', 'half a rec'],
    ['another version', '{"schema_version":2}'],
    ['nothing', ''],
  ])('that is %s is passed over and reported, and harms no other', async (_, content) => {
    const { path: directory } = temporaryDirectory();
    const reported: string[] = [];
    const repository = new FileCheckpointRepository({ directory, report: ({ path }) => reported.push(path) });
    const first = await repository.append(draft(), retentionPolicy());
    const broken = ids.next();
    const file = join(folderOf(directory), `${broken}.json`);
    await writeFile(file, content);
    expect(await repository.listByPlan(planId)).toEqual([first.checkpoint]);
    expect(reported).toEqual([file]);
    expect((await repository.listCorrupt()).map(({ path }) => path)).toEqual([file]);
    await expect(repository.get(broken)).rejects.toMatchObject({
      code: 'CHECKPOINT_NOT_FOUND',
      data: { path: file },
    });
    await expect(
      repository.append({ ...draft(), checkpointId: broken }, retentionPolicy()),
    ).rejects.toMatchObject({
      code: 'CHECKPOINT_ALREADY_EXISTS',
    });
    expect(await readFile(file, 'utf8')).toBe(content);
  });

  it('is still found, changed and deleted when everything else of its plan is gone', async () => {
    const { path: directory } = temporaryDirectory();
    const repository = new FileCheckpointRepository({ directory });
    const { checkpoint } = await repository.append(draft(), retentionPolicy());
    await repository.delete((await repository.append(draft(), retentionPolicy())).checkpoint.checkpointId);
    await rm(join(folderOf(directory), 'last-sequence'));
    expect(await repository.delete(checkpoint.checkpointId)).toEqual(checkpoint);
  });
});

describe('a correction log on disk', () => {
  it('survives a line that a crash cut short', async () => {
    const { path: directory } = temporaryDirectory();
    const reported: string[] = [];
    const log = new FileCorrectionLog({ directory, report: ({ path }) => reported.push(path) });
    const correction = {
      correctionId: 'C',
      planId,
      decisionId: 'D',
      mode: 'append',
      guidance: 'g',
      checkpointId: 'K',
      correctedAt: '1970-01-01T00:00:00.000Z',
    } as const;
    await log.record(correction);
    const file = join(directory, `${planKey(planId)}.jsonl`);
    await writeFile(file, `${await readFile(file, 'utf8')}{"schema_ver`);
    await log.record(correction);
    expect(await log.listByPlan(planId)).toEqual([correction, correction]);
    expect(reported).toEqual([file]);
  });
});

describe('ten processes', () => {
  it('append and prune one plan at once: no sequence twice, no record lost, none beyond the maximum', async () => {
    const { path: directory } = temporaryDirectory();
    const script = join(import.meta.dirname, 'append-many.ts');
    const runs = Array.from({ length: 10 }, async () => {
      const child = spawn(
        process.execPath,
        ['--conditions=@cleveragents/source', '--import', 'tsx', script, directory, planId, '10'],
        { stdio: ['ignore', 'pipe', 'inherit'] },
      );
      const output = child.stdout.setEncoding('utf8').toArray() as Promise<string[]>;
      const [code] = (await once(child, 'exit')) as [number | null];
      expect(code).toBe(0);
      return JSON.parse((await output).join('')) as { sequence: number; id: string; pruned: string[] }[];
    });
    const appended = (await Promise.all(runs)).flat();
    expect(new Set(appended.map(({ sequence }) => sequence)).size).toBe(100);
    const left = await new FileCheckpointRepository({ directory }).listByPlan(planId);
    expect(left).toHaveLength(12);
    const pruned = appended.flatMap((one) => one.pruned);
    const known = appended.map(({ id }) => id).sort();
    expect([...pruned, ...left.map(({ checkpointId }) => checkpointId)].sort()).toEqual(known);
    expect((await readdir(directory)).filter((name) => name.includes('lock'))).toEqual([]);
  }, 120_000);
});
