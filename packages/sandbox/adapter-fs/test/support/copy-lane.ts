import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { SandboxState } from '@cleveragents/sandbox-domain';
import { Lane } from '@cleveragents/shared-testing';
import type { CopyPlace } from './copy-calls.ts';
import { pictureOf } from './copy-bench.ts';

/** A lane with a place for what copies keep. */
export class CopyLane extends Lane implements CopyPlace {
  readonly kept = join(this.folder, 'place', 'kept');

  static async arrange(arrange: (lane: CopyLane) => Promise<SandboxState | void>): Promise<CopyLane> {
    const lane = new CopyLane();
    mkdirSync(lane.kept);
    await lane.keep((await arrange(lane)) ?? null);
    return lane;
  }
}

/** All that a user and an agent can see, the same for the same work at any time. */
export interface CopyPicture {
  /** What no flow may touch at any moment. */
  readonly own: unknown;
  readonly original: unknown;
  readonly sandboxes: unknown;
  /** Names of changes that are kept, by where they are kept. */
  readonly keeps: readonly string[];
  /** What is left lying about. */
  readonly complaints: readonly string[];
}

const OWN = /^(notes\.txt|mine\/)/;

export function takePicture({ root, sandboxes, kept }: CopyPlace): CopyPicture {
  const files = Object.entries(pictureOf(root));
  const outside = Object.entries(pictureOf(kept));
  return {
    own: Object.fromEntries(files.filter(([path]) => OWN.test(path))),
    original: Object.fromEntries(files.filter(([path]) => !OWN.test(path) && !isLitter(path))),
    sandboxes: Object.fromEntries(
      Object.entries(pictureOf(sandboxes))
        .filter(([path]) => !isLitter(path))
        .map(([path, facts]) => [
          path.replace(/-[0-9a-f]{8}(?=\/)/, '-<random>'),
          facts.replaceAll(root, '<original>'),
        ]),
    ),
    keeps: outside
      .flatMap(([path, facts]) => {
        const [, where] = /(rescued|applied|undone)\/(?:[^/]+\/){0,2}changes\.json$/.exec(path) ?? [];
        const [, id] = /"id": "([0-9a-f]{64})"/.exec(facts) ?? [];
        return where === undefined ? [] : [`${where} ${id ?? 'damaged'}`];
      })
      .sort(),
    complaints: [
      ...files.map(([path]) => path).filter(isLitter),
      ...Object.keys(pictureOf(sandboxes)).filter(isLitter),
      ...outside.map(([path]) => path).filter(isForgotten),
    ],
  };
}

function isLitter(path: string): boolean {
  return path.includes('.cleveragents-');
}

function isForgotten(path: string): boolean {
  return /journal\/.|applying|\.new\/|manifest\.next|removing|\.cleveragents-/.test(path);
}

export function copiesIn({ sandboxes }: CopyPlace): readonly string[] {
  return existsSync(sandboxes) ? readdirSync(sandboxes) : [];
}
