import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { GitEngineToken } from '@cleveragents/git-ports';
import { PlanLifecycleService, PlanLifecycleServiceToken } from '@cleveragents/sandbox-application';
import { PlanRepositoryToken, SandboxFactoriesToken } from '@cleveragents/sandbox-ports';
import { ClockToken, IdGeneratorToken } from '@cleveragents/shared-kernel';
import { temporaryDirectory } from '@cleveragents/shared-testing';
import { compose } from '../src/composition-root.ts';

describe('the composition root', () => {
  const folder = temporaryDirectory().path;
  const resource = { resourceId: 'app', type: 'git-checkout', path: folder, project: 'local/app' };
  const project = { resource, place: '', dataFolder: join(folder, 'data') };
  const container = compose({ project, stateFolder: folder });

  it.each([
    ClockToken,
    IdGeneratorToken,
    GitEngineToken,
    PlanRepositoryToken,
    SandboxFactoriesToken,
    PlanLifecycleServiceToken,
  ])('resolves %p, once', (token) => {
    expect(container.get<unknown>(token)).toBe(container.get<unknown>(token));
  });

  it('makes the service that the commands use', () => {
    expect(container.get(PlanLifecycleServiceToken)).toBeInstanceOf(PlanLifecycleService);
  });
});
