// One of several processes that work on plans of one repository: node worker-script ROOT SANDBOXES NAME ROUNDS
import { appendFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openPlans, resourceAt } from './plan-calls.ts';

const [root = '', sandboxes = '', name = '', rounds = '1'] = process.argv.slice(2);
const plans = openPlans({ root, sandboxes }, 300);
for (let round = 0; round < Number(rounds); round++) {
  const planId = `${name}-${round}`;
  await plans.create({ planId, resource: resourceAt(root) });
  await plans.execute(planId, {
    label: 'work',
    run: async ({ path }) => {
      writeFileSync(join(path, `${planId}.txt`), `${planId}\n`);
      appendFileSync(join(path, `${name}.log`), `${planId}\n`);
    },
  });
  const { mergeRef, cleanup } = await plans.apply(planId, { message: planId });
  process.stdout.write(`${JSON.stringify({ planId, mergeRef, cleanup })}\n`);
}
