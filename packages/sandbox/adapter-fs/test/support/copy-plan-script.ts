// One command on a plan, in a process of its own: node copy-plan-script REQUEST. Says on standard output how it ended.
import { callPlans, type PlanRequest } from './copy-plan-calls.ts';

let failure: { name: string; code: string | null; stack: string } | null = null;
try {
  await callPlans(JSON.parse(process.argv[2] ?? '') as PlanRequest);
} catch (error) {
  const { constructor, code, stack } = error as Error & { code?: string };
  failure = { name: constructor.name, code: code ?? null, stack: stack ?? '' };
}
process.stdout.write(JSON.stringify({ failure }));
