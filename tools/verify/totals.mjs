// How many tests passed, failed and were skipped, from what each runner reports. Pure.

const NONE = { passed: 0, failed: 0, skipped: 0 };

const sum = (totals) =>
  totals.reduce(
    (left, right) => ({
      passed: left.passed + right.passed,
      failed: left.failed + right.failed,
      skipped: left.skipped + right.skipped,
    }),
    NONE,
  );

function scenario({ steps }) {
  const has = (status) => steps.some((step) => step.result.status === status);
  if (steps.every((step) => step.result.status === 'passed')) return { ...NONE, passed: 1 };
  const skipped = has('skipped') && steps.every((step) => /^(passed|skipped)$/.test(step.result.status));
  return skipped ? { ...NONE, skipped: 1 } : { ...NONE, failed: 1 };
}

const READERS = {
  jest: (report) => ({
    passed: report.numPassedTests,
    failed: report.numFailedTests + report.numRuntimeErrorTestSuites,
    skipped: report.numPendingTests + report.numTodoTests,
  }),
  cucumber: (report) => sum(report.flatMap((feature) => feature.elements ?? []).map(scenario)),
  node: (report) => report,
};

/**
 * What a finished stage adds. A stage that failed adds at least one failure, whatever its report says: the compiler, a
 * crash or a missing report has no test of its own.
 *
 * @param {{ report?: 'jest' | 'cucumber' | 'node' }} stage
 * @param {{ ok: boolean, report: unknown }} outcome `report` is undefined when there is none
 */
export function stageTotals(stage, { ok, report }) {
  if (stage.report === undefined) return ok ? { ...NONE, passed: 1 } : { ...NONE, failed: 1 };
  if (report === undefined) return { ...NONE, failed: 1 };
  const totals = READERS[stage.report](report);
  return ok || totals.failed > 0 ? totals : { ...totals, failed: 1 };
}

export { sum as sumTotals };

/** The last line of `npm test`. */
export const totalLine = ({ passed, failed, skipped }) =>
  `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`;
