import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';
import { FileCopySandboxFactory } from '@cleveragents/sandbox-adapter-fs';
import { FLOW_CLOCK, forEachFaultPoint, Lanes, TORTURE_SAMPLE } from '@cleveragents/shared-testing';
import { COPY_FLOWS } from '../support/copy-flows.ts';
import { CopyLane, takePicture } from '../support/copy-lane.ts';

const SCRIPT = fileURLToPath(new URL('../support/copy-flow-script.ts', import.meta.url));
const COMMITS = COPY_FLOWS.filter(({ name }) => /^commit of every|^rollback from committed$/.test(name));
const EDITED = ['modify.txt', 'delete.txt', 'added/new.txt', 'becomes-folder', 'src/deep/only.txt'];
const THEIRS = "the user's, after the crash\n";

describe.each(COMMITS.map((flow) => [flow.name, flow] as const))('%s', (_name, flow) => {
  it('that was killed takes nothing of what the user does before the next command', async () => {
    const lanes = new Lanes(() => CopyLane.arrange(flow.arrange));
    let turn = 0;
    await forEachFaultPoint<CopyLane>({
      script: SCRIPT,
      kinds: ['kill-before', 'kill-after'],
      ...TORTURE_SAMPLE,
      prepare: () => lanes.take(),
      scene: (lane) => ({
        arguments: [JSON.stringify(requestOf(lane, flow.call))],
        roots: [lane.folder],
      }),
      verify: async (lane, { kind }) => {
        if (kind === 'none') return;
        const edited = EDITED[turn++ % EDITED.length] ?? '';
        edit(join(lane.root, edited));
        const folders = { sandboxFolder: lane.sandboxes, stateFolder: lane.kept };
        await new FileCopySandboxFactory({ ...folders, clock: FLOW_CLOCK }).recover(lane.root);
        expect(readFileSync(join(lane.root, edited), 'utf8')).toBe(THEIRS);
        expect(takePicture(lane).complaints.filter((path) => path.includes('cleveragents'))).toEqual([]);
      },
      dispose: async (lane) => lanes.giveBack(lane),
    });
  }, 1_200_000);
});

function requestOf(lane: CopyLane, call: string): unknown {
  const { root, sandboxes, kept, state } = lane;
  return { place: { root, sandboxes, kept }, state, call, options: {}, retries: false };
}

/** As an editor would; what lies there as a folder goes, as does what stands for a folder on the way. */
function edit(path: string): void {
  const folder = dirname(path);
  if (existsSync(path)) rmSync(path, { recursive: true });
  mkdirSync(folder, { recursive: true });
  writeFileSync(path, THEIRS);
}
