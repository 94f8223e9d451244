import { hasCode } from '@cleveragents/shared-kernel';
import { IsomorphicEngine } from '../../src/isomorphic-engine.ts';

/** Moves a branch to a new child of its tip, so many times; prints the children. Begins again when others were faster. */
const [root = '', name = '', label = '', rounds = '0'] = process.argv.slice(2);
const host = await new IsomorphicEngine().open(root, { timeoutMs: 120_000 });
for (let round = 0; round < Number(rounds);) {
  const tip = await host.readRef(name);
  if (tip === null) throw new Error(`no ${name}`);
  const { tree } = await host.objects.readCommit(tip);
  const identity = await host.readIdentity();
  const message = `${label} ${round}\n`;
  const target = await host.objects.writeCommit({ tree, parents: [tip], ...identity, message });
  try {
    await host.updateRef({ name, expected: tip, target, message });
    console.log(target);
    round += 1;
  } catch (error) {
    if (!hasCode(error, 'GIT_REF_MOVED')) throw error;
  }
}
