import { GitError } from '@cleveragents/git-ports';
import { GIT_SETTINGS, gitEnvironment, SETTINGS_WITHOUT_HOOKS } from './git-environment.ts';
import { type ProcessResult, runProcess } from './git-process.ts';
import { Deadline, type Environment } from './shared-parts.ts';

/** Where a git works. Given in full, so that it looks for nothing: it would climb to a repository above. */
export interface GitPlace {
  readonly gitDirectory: string;
  /** Null: nothing is done to files. */
  readonly workTree: string | null;
  /** Instead of the work tree's own. */
  readonly indexFile?: string | undefined;
}

export interface GitCall {
  readonly place: GitPlace;
  readonly args: readonly string[];
  readonly input?: string | Uint8Array | undefined;
  /** Beyond what every call gets. */
  readonly environment?: Environment | undefined;
  readonly deadline: Deadline;
  /** The repository's hooks are where they are. Default: nowhere. */
  readonly runsHooks?: boolean | undefined;
  /** Exit codes that are answers. Default: 0 alone. */
  readonly answers?: readonly number[] | undefined;
}

const LIMIT_BYTES = 2 ** 29;

/** The installed git, run without prompts, hooks, or anything that the caller's environment would have it do. */
export class Git {
  readonly executable: string;
  readonly #environment: Environment;

  constructor({ executable = 'git', environment }: { executable?: string; environment: Environment }) {
    this.executable = executable;
    this.#environment = gitEnvironment(environment);
  }

  /** @throws GitError `GIT_FAILED` with what git said, for every exit code that is no answer. */
  async run(call: GitCall): Promise<ProcessResult> {
    const { place, deadline, answers = [0], runsHooks = false } = call;
    const result = await runProcess({
      executable: this.executable,
      args: [...(runsHooks ? GIT_SETTINGS : SETTINGS_WITHOUT_HOOKS), ...call.args],
      cwd: place.workTree ?? place.gitDirectory,
      environment: this.environmentFor(place, call.environment),
      input: call.input,
      deadline,
      limitBytes: LIMIT_BYTES,
    });
    if (result.exitCode !== null && answers.includes(result.exitCode)) return result;
    throw gitFailed(call.args, result);
  }

  /** What it prints. */
  async output(call: GitCall): Promise<Buffer> {
    return (await this.run(call)).stdout;
  }

  /** Without its last line end. */
  async text(call: GitCall): Promise<string> {
    return (await this.output(call)).toString('utf8').replace(/\n$/, '');
  }

  /** What `git --version` prints. @throws GitError `GIT_FAILED`. */
  async version(deadline: Deadline): Promise<string> {
    const { stdout } = await runProcess({
      executable: this.executable,
      args: ['--version'],
      cwd: '/',
      environment: this.#environment,
      deadline,
      limitBytes: 4096,
    });
    return stdout.toString('utf8').trim();
  }

  environmentFor({ gitDirectory, workTree, indexFile }: GitPlace, more: Environment = {}): Environment {
    return {
      ...this.#environment,
      GIT_DIR: gitDirectory,
      ...(workTree !== null && { GIT_WORK_TREE: workTree }),
      ...(indexFile !== undefined && { GIT_INDEX_FILE: indexFile }),
      ...more,
    };
  }
}

function gitFailed(args: readonly string[], { exitCode, stderr }: ProcessResult): GitError {
  const [command = ''] = args;
  const said = stderr === '' ? `exit code ${String(exitCode)}` : stderr.split('\n').slice(0, 5).join('; ');
  return new GitError('GIT_FAILED', `git ${command} failed: ${said}`, {
    hint: hintFor(stderr),
    data: { args, exitCode, stderr },
  });
}

function hintFor(stderr: string): string {
  if (/filter .*failed|smudge|clean filter/.test(stderr))
    return 'A filter of this repository (as of Git LFS) failed: see that its program is installed and works.';
  if (/could not fetch|promisor remote|unable to access|Could not read from remote/.test(stderr))
    return 'Objects of this partial clone have to be fetched: see that its remote can be reached without a prompt.';
  return 'Git’s own words are in the message; the same command in the repository says the same.';
}
