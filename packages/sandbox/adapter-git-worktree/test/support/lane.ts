import { appendFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { SandboxState } from '@cleveragents/sandbox-domain';
import { Lane, runGit, TemporaryRepository } from '@cleveragents/shared-testing';

const CONFIG = `[user]
	name = Ada Author
	email = ada@example.invalid
[gc]
	auto = 0
[cleveragents-test]
	note = the user's own setting
`;

/** A lane whose original is a repository. */
export class GitLane extends Lane {
  readonly original = new TemporaryRepository(this.root);

  /** @param arrange makes what the flow begins with; the state of its sandbox, if it keeps that itself. */
  static async arrange(arrange: (lane: GitLane) => Promise<SandboxState | void>): Promise<GitLane> {
    const lane = new GitLane();
    await runGit(['init', '--quiet', '--template=', '--initial-branch=main'], { cwd: lane.root });
    await appendFile(join(lane.root, '.git/config'), CONFIG);
    await lane.keep((await arrange(lane)) ?? null);
    return lane;
  }
}
