// Reporter of node:test that writes how many tests passed, failed and were skipped; a file that crashed is one that failed.
export default async function* count(events) {
  const totals = { passed: 0, failed: 0, skipped: 0 };
  for await (const { type, data } of events) {
    if (!['test:pass', 'test:fail'].includes(type) || data.details?.type === 'suite') continue;
    if (data.skip !== undefined || data.todo !== undefined) totals.skipped++;
    else totals[type === 'test:pass' ? 'passed' : 'failed']++;
  }
  yield JSON.stringify(totals);
}
