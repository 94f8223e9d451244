import { describe, expect, it } from '@jest/globals';
import type { Checkpoint } from '@cleveragents/checkpoint-domain';
import { findCheckpoint } from '../src/commands/checkpoint.ts';

const IDS = ['01M8QAGT0W2JCSZ0TFQK3V5DNW'];

const bench = {
  plans: { list: async () => ({ plans: [{ planId: 'p' }] }) },
  checkpoints: {
    listCheckpoints: async () => IDS.map((checkpointId) => ({ checkpointId }) as Checkpoint),
    getCheckpoint: async (id: string) => {
      throw new Error(`not found: ${id}`);
    },
  },
};

describe('a checkpoint is named', () => {
  it('by a beginning that only one has', async () => {
    expect(await findCheckpoint(bench as never, '01m8qag')).toMatchObject({ checkpointId: IDS[0] });
  });

  it.each(['', ' '])('but not by %j, although the only one begins with nothing, too', async (id) => {
    await expect(findCheckpoint(bench as never, id)).rejects.toMatchObject({ code: 'CLI_USAGE' });
  });
});
