// Runs stages, as many at once as there is room for, each with its output in a log of its own.
import { spawn } from 'node:child_process';
import { closeSync, mkdirSync, openSync, readFileSync, rmSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { BLIND } from '../project-graph.mjs';
import { stageTotals } from './totals.mjs';

const TAIL_LINES = 120;
/** Far above the slowest stage: a hang must name itself instead of being cut off by the machine around it. */
const LIMIT_MINUTES = 12;

const environment = (options) => {
  const { NODE_OPTIONS: _options, FORCE_COLOR: _color, ...rest } = process.env;
  return { ...rest, ...(options && { NODE_OPTIONS: options }), NO_COLOR: '1', NX_DAEMON: 'false' };
};

const killTree = (child) => {
  try {
    process.kill(-child.pid, 'SIGKILL');
  } catch (error) {
    if (error.code !== 'ESRCH') throw error;
  }
};

/** Groups of their own, so that a hang dies with everything it started; Ctrl-C then no longer reaches them by itself. */
const alive = new Set();
for (const signal of ['SIGINT', 'SIGTERM'])
  process.once(signal, () => {
    for (const child of alive) killTree(child);
    process.kill(process.pid, signal);
  });

/** Resolves to why the command failed, or undefined. */
const execute = (stage, { root, log }) =>
  new Promise((resolve) => {
    const output = openSync(log, 'w');
    const child = spawn(process.execPath, stage.command, {
      cwd: root,
      env: environment(stage.options),
      stdio: ['ignore', output, output],
      detached: true,
    });
    alive.add(child);
    const minutes = stage.limitMinutes ?? LIMIT_MINUTES;
    let late = false;
    const timer = setTimeout(() => {
      late = true;
      killTree(child);
    }, minutes * 60_000);
    const end = (reason) => {
      clearTimeout(timer);
      alive.delete(child);
      closeSync(output);
      resolve(late ? `stopped after ${minutes} minutes` : reason);
    };
    child.once('error', (error) => end(error.message));
    child.once('close', (code, signal) => end(code === 0 ? undefined : `exit ${code ?? signal}`));
  });

function readReport(path) {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    if (error.code === 'ENOENT' || error instanceof SyntaxError) return undefined;
    throw error;
  }
}

async function runStage(stage, { root, reports }) {
  const log = join(reports, `${stage.name}.log`);
  const reportFile = join(reports, `${stage.name}.json`);
  rmSync(reportFile, { force: true });
  const startedAt = performance.now();
  const reason = await execute(stage, { root, log });
  const output = readFileSync(log, 'utf8');
  const blind = output.includes(BLIND) ? 'the boundary rule saw no project graph' : undefined;
  const failure = reason ?? blind;
  const report = stage.report && readReport(reportFile);
  return {
    stage,
    failure,
    log,
    tail: output.trimEnd().split('\n').slice(-TAIL_LINES).join('\n'),
    seconds: (performance.now() - startedAt) / 1000,
    totals: stageTotals(stage, { ok: failure === undefined, report }),
  };
}

/**
 * @param {readonly { name: string, command: readonly string[], after?: readonly string[], needs?: readonly string[],
 *   report?: 'jest' | 'cucumber' | 'node', options?: string, limitMinutes?: number }[]} stages in the order in which they begin
 * @param {{ root: string, reports: string, atOnce?: number, onResult: (result: object) => void }} options
 *   `onResult` hears of each stage as it ends; one that could not run has `failure` and no tail
 * @returns {Promise<readonly object[]>} the results, in the order of their ends
 */
export async function runStages(
  stages,
  { root, reports, atOnce = Math.min(availableParallelism(), 4), onResult },
) {
  mkdirSync(reports, { recursive: true });
  const names = new Set(stages.map((stage) => stage.name));
  const results = new Map();
  const running = new Map();
  const waiting = [...stages];

  const settle = (result) => {
    results.set(result.stage.name, result);
    running.delete(result.stage.name);
    onResult(result);
  };
  const before = (stage) =>
    [...(stage.after ?? []), ...(stage.needs ?? [])].filter((name) => names.has(name));
  const isReady = (stage) => before(stage).every((name) => results.has(name));
  const lost = (stage) => (stage.needs ?? []).find((name) => results.get(name)?.failure !== undefined);

  while (waiting.length > 0 || running.size > 0) {
    const next = running.size < atOnce ? waiting.findIndex(isReady) : -1;
    if (next === -1) {
      if (running.size === 0) throw new Error('stages wait for each other');
      await Promise.race(running.values());
      continue;
    }
    const [stage] = waiting.splice(next, 1);
    if (lost(stage) === undefined) running.set(stage.name, runStage(stage, { root, reports }).then(settle));
    else settle(notRun(stage, lost(stage)));
  }
  return [...results.values()];
}

const notRun = (stage, needed) => ({
  stage,
  failure: `not run: ${needed} failed`,
  seconds: 0,
  totals: { passed: 0, failed: 1, skipped: 0 },
});
