import { hasCode, parsePlanId, planKey } from '@cleveragents/shared-kernel';

const planId = parsePlanId('Fix the parser!');
console.log(planKey(planId)); // 'fix-the-parser-' and 12 hex digits: safe as a file name and in a ref

try {
  parsePlanId('');
} catch (error) {
  if (!hasCode(error, 'VALIDATION_FAILED')) throw error;
  console.log(error.message); // 'plan_id cannot be empty'
}
