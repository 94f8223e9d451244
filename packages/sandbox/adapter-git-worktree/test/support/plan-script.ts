// One command on a plan, in a process of its own: node plan-script REQUEST. Says on standard output how it ended.
import { failureOf } from '@cleveragents/shared-testing';
import { callPlans, type PlanReport, type PlanRequest } from './plan-calls.ts';

const failure = await failureOf(callPlans(JSON.parse(process.argv[2] ?? '') as PlanRequest));
process.stdout.write(JSON.stringify({ failure } satisfies PlanReport));
