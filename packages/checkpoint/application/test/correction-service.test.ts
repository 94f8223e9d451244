import { describe, expect, it } from '@jest/globals';
import { CorrectionService } from '@cleveragents/checkpoint-application';
import type { CorrectionMode } from '@cleveragents/checkpoint-domain';
import { parsePlanId } from '@cleveragents/shared-kernel';
import { inMemoryPlan, PLAN } from './in-memory-plan.ts';

const correction = { planId: PLAN, decisionId: 'D', guidance: 'use the other parser' };

describe('a correction', () => {
  it('that reverts goes back to just before the decision, and is recorded', async () => {
    const plan = inMemoryPlan({ a: 'before' });
    const aligned = await plan.capture({ decisionId: 'D', checkpointType: 'decision' });
    plan.tree.write('a', 'after');
    await plan.capture({ decisionId: 'D', checkpointType: 'post_tool' });
    const { correction: recorded, rollback } = await plan.corrections.correct({
      ...correction,
      mode: 'revert',
    });
    expect(plan.files()).toEqual({ a: 'before' });
    expect(recorded).toMatchObject({ ...correction, mode: 'revert', checkpointId: aligned });
    expect(recorded.safetyCheckpointId).toBe(rollback?.safetyCheckpointId);
    expect(await plan.log.listByPlan(parsePlanId(PLAN))).toEqual([recorded]);
  });

  it('that appends leaves the files, and is recorded', async () => {
    const plan = inMemoryPlan({ a: 'before' });
    await plan.capture({ decisionId: 'D' });
    plan.tree.write('a', 'after');
    const { rollback } = await plan.corrections.correct({ ...correction, mode: 'append' });
    expect(rollback).toBeNull();
    expect(plan.files()).toEqual({ a: 'after' });
    expect(await plan.log.listByPlan(parsePlanId(PLAN))).toMatchObject([{ ...correction, mode: 'append' }]);
  });

  it('of a decision without a checkpoint names the nearest earlier one, and records nothing', async () => {
    const plan = inMemoryPlan({ a: 'before' });
    const nearest = await plan.capture();
    await expect(plan.corrections.correct({ ...correction, mode: 'revert' })).rejects.toMatchObject({
      code: 'CORRECTION_CHECKPOINT_MISSING',
      data: { nearestCheckpointId: nearest },
    });
    expect(await plan.log.listByPlan(parsePlanId(PLAN))).toEqual([]);
  });

  it('whose rollback is refused is not recorded', async () => {
    const plan = inMemoryPlan({ a: 'before' });
    await plan.capture({ decisionId: 'D' });
    plan.service.markPlanApplied(PLAN);
    await expect(plan.corrections.correct({ ...correction, mode: 'revert' })).rejects.toMatchObject({
      code: 'ROLLBACK_PLAN_APPLIED',
    });
    expect(await plan.log.listByPlan(parsePlanId(PLAN))).toEqual([]);
  });

  it.each([
    [{ planId: '' }, 'plan_id cannot be empty'],
    [{ decisionId: '' }, 'decision_id cannot be empty'],
    [{ mode: 'undo' as CorrectionMode }, 'mode must be one of revert, append'],
  ])('refuses %j', async (change, message) => {
    const plan = inMemoryPlan();
    await expect(plan.corrections.correct({ ...correction, mode: 'append', ...change })).rejects.toThrow(
      message,
    );
  });

  it('needs checkpoints', async () => {
    const service = new CorrectionService();
    expect(service.hasCheckpointSupport).toBe(false);
    expect(inMemoryPlan().corrections.hasCheckpointSupport).toBe(true);
    await expect(service.correct({ ...correction, mode: 'append' })).rejects.toMatchObject({
      code: 'CHECKPOINT_SUPPORT_MISSING',
    });
  });
});
