import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { BLIND } from '../project-graph.mjs';
import { runStages } from './run-stages.mjs';
import { stageTotals, sumTotals, totalLine } from './totals.mjs';

const step = (status) => ({ result: { status } });
const scenario = (...statuses) => ({ steps: statuses.map(step) });
const jestReport = (numbers) => ({
  numPassedTests: 0,
  numFailedTests: 0,
  numRuntimeErrorTestSuites: 0,
  numPendingTests: 0,
  numTodoTests: 0,
  ...numbers,
});

describe('the total of a stage', () => {
  it('is one for a stage without tests', () => {
    assert.deepEqual(stageTotals({}, { ok: true }), { passed: 1, failed: 0, skipped: 0 });
    assert.deepEqual(stageTotals({}, { ok: false }), { passed: 0, failed: 1, skipped: 0 });
  });

  it('counts the tests of jest, a file that does not load as a failure', () => {
    const report = jestReport({
      numPassedTests: 5,
      numFailedTests: 2,
      numRuntimeErrorTestSuites: 1,
      numPendingTests: 1,
      numTodoTests: 1,
    });
    assert.deepEqual(stageTotals({ report: 'jest' }, { ok: false, report }), {
      passed: 5,
      failed: 3,
      skipped: 2,
    });
  });

  it('counts the scenarios of cucumber, an undefined step as a failure', () => {
    const report = [
      { elements: [scenario('passed', 'passed'), scenario('passed', 'failed', 'skipped')] },
      { elements: [scenario('passed', 'undefined'), scenario('passed', 'skipped'), scenario('pending')] },
      {},
    ];
    assert.deepEqual(stageTotals({ report: 'cucumber' }, { ok: false, report }), {
      passed: 1,
      failed: 3,
      skipped: 1,
    });
  });

  it('holds a failure when the stage failed and no test did', () => {
    const report = jestReport({ numPassedTests: 9 });
    assert.deepEqual(stageTotals({ report: 'jest' }, { ok: false, report }), {
      passed: 9,
      failed: 1,
      skipped: 0,
    });
  });

  it('holds a failure when the report is missing, although the stage says it went well', () => {
    assert.deepEqual(stageTotals({ report: 'node' }, { ok: true, report: undefined }), {
      passed: 0,
      failed: 1,
      skipped: 0,
    });
  });

  it('is none for no features at all', () => {
    assert.deepEqual(stageTotals({ report: 'cucumber' }, { ok: true, report: [] }), {
      passed: 0,
      failed: 0,
      skipped: 0,
    });
  });
});

describe('the last line', () => {
  it('names skipped tests only when there are some', () => {
    const totals = sumTotals([
      { passed: 2, failed: 0, skipped: 0 },
      { passed: 3, failed: 1, skipped: 0 },
    ]);
    assert.equal(totalLine(totals), '5 passed, 1 failed');
    assert.equal(totalLine({ ...totals, skipped: 4 }), '5 passed, 1 failed, 4 skipped');
  });
});

describe('a run of stages', () => {
  let folder;
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'cleveragents-stages-'));
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  const script = (code) => ['--eval', code];
  const appends = (name) =>
    script(`require('node:fs').appendFileSync(${JSON.stringify(join(folder, 'order'))}, '${name} ')`);
  const run = async (stages) => {
    const heard = [];
    const reports = join(folder, 'reports');
    await runStages(stages, { root: folder, reports, atOnce: 2, onResult: (result) => heard.push(result) });
    return Object.fromEntries(heard.map((result) => [result.stage.name, result]));
  };

  it('keeps the order that stages ask for', async () => {
    await run([
      { name: 'third', after: ['second'], command: appends('third') },
      { name: 'second', needs: ['first'], command: appends('second') },
      { name: 'first', command: appends('first') },
    ]);
    assert.equal(readFileSync(join(folder, 'order'), 'utf8'), 'first second third ');
  });

  it('tells why a stage failed, with the end of its output', async () => {
    const { broken } = await run([
      { name: 'broken', command: script("console.log('it broke here'); process.exitCode = 3;") },
    ]);
    assert.equal(broken.failure, 'exit 3');
    assert.equal(broken.tail, 'it broke here');
    assert.deepEqual(broken.totals, { passed: 0, failed: 1, skipped: 0 });
  });

  it('does not run what needs a stage that failed, and counts it as failed', async () => {
    const { dependent } = await run([
      { name: 'broken', command: script('process.exitCode = 1;') },
      { name: 'dependent', needs: ['broken'], report: 'node', command: script('') },
    ]);
    assert.equal(dependent.failure, 'not run: broken failed');
    assert.equal(dependent.totals.failed, 1);
  });

  it('runs what only comes after a stage that failed', async () => {
    const { later } = await run([
      { name: 'broken', command: script('process.exitCode = 1;') },
      { name: 'later', after: ['broken'], command: script('') },
    ]);
    assert.equal(later.failure, undefined);
  });

  it('reads no report of an earlier run', async () => {
    const writes = script(
      'require(\'node:fs\').writeFileSync(\'reports/old.json\', \'{"passed":1,"failed":0,"skipped":0}\')',
    );
    await run([{ name: 'old', report: 'node', command: writes }]);
    const { old } = await run([{ name: 'old', report: 'node', command: script('') }]);
    assert.equal(old.totals.failed, 1);
  });

  it('fails when the boundary rule was blind', async () => {
    const { lint } = await run([{ name: 'lint', command: script(`console.log(${JSON.stringify(BLIND)})`) }]);
    assert.equal(lint.failure, 'the boundary rule saw no project graph');
  });
});
