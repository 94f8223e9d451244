import assert from 'node:assert/strict';
import { type Contract, hasCode, isUlid } from '@cleveragents/shared-kernel';
import type { Sandbox } from '../sandbox.ts';

/** One side of a sandbox, in the words of a person at an editor. */
export interface ProjectFiles {
  /** Null when nothing is there. */
  read(path: string): Promise<string | null>;
  write(path: string, text: string): Promise<void>;
  remove(path: string): Promise<void>;
}

/** A fresh project that holds `README.md` ("read me\n") and `src/main.py` ("print('hello')\n"). */
export interface SandboxSubject {
  make(): Sandbox;
  /** The sandbox again, from its state alone, as another process would have it. */
  reopen(sandbox: Sandbox): Sandbox;
  readonly project: ProjectFiles;
  /** The files of a created sandbox. */
  filesOf(sandbox: Sandbox): ProjectFiles;
}

const PLAN = 'plan-001';

async function activeSandbox(subject: SandboxSubject): Promise<{ sandbox: Sandbox; files: ProjectFiles }> {
  const sandbox = subject.make();
  await sandbox.create(PLAN);
  await sandbox.getPath('.');
  return { sandbox, files: subject.filesOf(sandbox) };
}

function refusesWith(...codes: readonly string[]): (error: unknown) => boolean {
  return (error) => {
    assert.ok(hasCode(error, ...codes), `expected ${codes.join(' or ')}, got ${String(error)}`);
    return true;
  };
}

/** What every sandbox strategy does. */
export const sandboxContract: Contract<SandboxSubject> = {
  name: 'Sandbox',
  cases: [
    {
      name: 'is pending, with an id and no context, until it is created',
      async run(subject) {
        const sandbox = subject.make();
        assert.ok(isUlid(sandbox.sandboxId));
        assert.equal(sandbox.status, 'pending');
        assert.equal(sandbox.context, null);
        assert.notEqual(subject.make().sandboxId, sandbox.sandboxId);
      },
    },
    {
      name: 'holds the project once created, in a place of its own',
      async run(subject) {
        const sandbox = subject.make();
        const context = await sandbox.create(PLAN);
        assert.equal(sandbox.status, 'created');
        assert.equal(context.planId, PLAN);
        assert.equal(context.sandboxId, sandbox.sandboxId);
        assert.notEqual(context.sandboxPath, context.originalPath);
        assert.equal(await subject.filesOf(sandbox).read('src/main.py'), "print('hello')\n");
      },
    },
    {
      name: 'refuses an empty plan id and stays pending',
      async run(subject) {
        const sandbox = subject.make();
        await assert.rejects(sandbox.create(''), {
          message: 'plan_id cannot be empty',
          code: 'VALIDATION_FAILED',
        });
        assert.equal(sandbox.status, 'pending');
      },
    },
    {
      name: 'gives absolute paths inside itself, and is active from then on',
      async run(subject) {
        const sandbox = subject.make();
        const { sandboxPath } = await sandbox.create(PLAN);
        assert.equal(await sandbox.getPath('src/new/file.py'), `${sandboxPath}/src/new/file.py`);
        assert.equal(await sandbox.getPath('.'), sandboxPath);
        assert.equal(sandbox.status, 'active');
      },
    },
    {
      name: 'refuses paths that lead out, and stays as it was',
      async run(subject) {
        const sandbox = subject.make();
        await sandbox.create(PLAN);
        for (const path of ['../etc/passwd', '/etc/passwd', 'src/../../x', '..'])
          await assert.rejects(sandbox.getPath(path), { message: 'Path traversal not allowed' });
        assert.equal(sandbox.status, 'created');
      },
    },
    {
      name: 'keeps the project as it is while work goes on',
      async run(subject) {
        const { files } = await activeSandbox(subject);
        await files.write('README.md', 'changed\n');
        await files.write('new.txt', 'new\n');
        await files.remove('src/main.py');
        assert.equal(await subject.project.read('README.md'), 'read me\n');
        assert.equal(await subject.project.read('new.txt'), null);
        assert.equal(await subject.project.read('src/main.py'), "print('hello')\n");
      },
    },
    {
      name: 'says what changed',
      async run(subject) {
        const { sandbox, files } = await activeSandbox(subject);
        assert.deepEqual((await sandbox.changes()).files, []);
        await files.write('README.md', 'read me\nplease\n');
        await files.write('new.txt', 'new\n');
        await files.remove('src/main.py');
        const changes = await sandbox.changes();
        assert.deepEqual(
          changes.files.map(({ path, kind }) => [path, kind]),
          [
            ['README.md', 'modified'],
            ['new.txt', 'added'],
            ['src/main.py', 'deleted'],
          ],
        );
        assert.deepEqual([changes.insertions, changes.deletions], [2, 1]);
      },
    },
    {
      name: 'takes its changes into the project when committed',
      async run(subject) {
        const { sandbox, files } = await activeSandbox(subject);
        await files.write('README.md', 'changed\n');
        await files.write('docs/new.txt', 'new\n');
        await files.remove('src/main.py');
        const result = await sandbox.commit('change things');
        assert.equal(sandbox.status, 'committed');
        assert.equal(result.success, true);
        assert.deepEqual(
          [result.changedFiles, result.addedFiles, result.deletedFiles],
          [['README.md'], ['docs/new.txt'], ['src/main.py']],
        );
        assert.equal(await subject.project.read('README.md'), 'changed\n');
        assert.equal(await subject.project.read('docs/new.txt'), 'new\n');
        assert.equal(await subject.project.read('src/main.py'), null);
      },
    },
    {
      name: 'commits nothing when nothing changed, also straight after creation',
      async run(subject) {
        const sandbox = subject.make();
        await sandbox.create(PLAN);
        const result = await sandbox.commit('nothing');
        assert.equal(result.success, true);
        assert.equal(result.commitRef, null);
        assert.deepEqual([result.changedFiles, result.addedFiles, result.deletedFiles], [[], [], []]);
        assert.equal(sandbox.status, 'committed');
      },
    },
    {
      name: 'takes in what the project gained meanwhile',
      async run(subject) {
        const { sandbox, files } = await activeSandbox(subject);
        await files.write('ours.txt', 'ours\n');
        await subject.project.write('theirs.txt', 'theirs\n');
        await sandbox.commit('ours');
        assert.equal(await subject.project.read('ours.txt'), 'ours\n');
        assert.equal(await subject.project.read('theirs.txt'), 'theirs\n');
      },
    },
    {
      name: 'refuses to overwrite what the user changed, and leaves both sides as they were',
      async run(subject) {
        const { sandbox, files } = await activeSandbox(subject);
        await files.write('README.md', 'from the sandbox\n');
        await files.write('new.txt', 'new\n');
        await subject.project.write('README.md', 'from the user\n');
        const refused = refusesWith('SANDBOX_TARGET_DIRTY', 'SANDBOX_MERGE_CONFLICT');
        await assert.rejects(sandbox.commit('overwrite'), refused);
        assert.equal(sandbox.status, 'active');
        assert.equal(await subject.project.read('README.md'), 'from the user\n');
        assert.equal(await subject.project.read('new.txt'), null);
        assert.equal(await files.read('README.md'), 'from the sandbox\n');
      },
    },
    {
      name: 'says beforehand what would be in the way, and changes nothing',
      async run(subject) {
        const { sandbox, files } = await activeSandbox(subject);
        await files.write('new.txt', 'from the sandbox\n');
        assert.deepEqual((await sandbox.previewCommit()).overlaps, []);
        await subject.project.write('new.txt', 'from the user\n');
        const { overlaps, conflicts } = await sandbox.previewCommit();
        assert.deepEqual(
          [...overlaps, ...conflicts].map(({ path }) => path),
          ['new.txt'],
        );
        assert.equal(await subject.project.read('new.txt'), 'from the user\n');
        assert.equal(sandbox.status, 'active');
      },
    },
    {
      name: 'discards its changes when rolled back',
      async run(subject) {
        const { sandbox, files } = await activeSandbox(subject);
        await files.write('README.md', 'changed\n');
        await files.write('temp.txt', 'temporary\n');
        await files.remove('src/main.py');
        await sandbox.rollback();
        assert.equal(sandbox.status, 'rolled_back');
        assert.equal(await files.read('README.md'), 'read me\n');
        assert.equal(await files.read('temp.txt'), null);
        assert.equal(await files.read('src/main.py'), "print('hello')\n");
      },
    },
    {
      name: 'takes a commit back out of the project when rolled back',
      async run(subject) {
        const { sandbox, files } = await activeSandbox(subject);
        await files.write('README.md', 'changed\n');
        await files.write('new.txt', 'new\n');
        await files.remove('src/main.py');
        await sandbox.commit('change things');
        await sandbox.rollback();
        assert.equal(sandbox.status, 'rolled_back');
        assert.equal(await subject.project.read('README.md'), 'read me\n');
        assert.equal(await subject.project.read('new.txt'), null);
        assert.equal(await subject.project.read('src/main.py'), "print('hello')\n");
      },
    },
    {
      name: 'does not roll back over later work of the user',
      async run(subject) {
        const { sandbox, files } = await activeSandbox(subject);
        await files.write('README.md', 'changed\n');
        await files.write('new.txt', 'new\n');
        await sandbox.commit('change things');
        await subject.project.write('README.md', 'changed\nand then by the user\n');
        await assert.rejects(
          sandbox.rollback(),
          refusesWith('SANDBOX_ROLLBACK_FAILED', 'SANDBOX_BRANCH_MOVED'),
        );
        assert.equal(sandbox.status, 'committed');
        assert.equal(await subject.project.read('README.md'), 'changed\nand then by the user\n');
        assert.equal(await subject.project.read('new.txt'), 'new\n');
      },
    },
    {
      name: 'can be left in one process and taken up in another, in every state',
      async run(subject) {
        const { sandbox, files } = await activeSandbox(subject);
        await files.write('new.txt', 'new\n');
        const second = subject.reopen(sandbox);
        assert.equal(second.status, 'active');
        assert.deepEqual(second.context, sandbox.context);
        await second.commit('second process');
        const third = subject.reopen(second);
        assert.equal(third.status, 'committed');
        await third.rollback();
        assert.equal(await subject.project.read('new.txt'), null);
        const fourth = subject.reopen(third);
        await fourth.cleanup();
        assert.equal(subject.reopen(fourth).status, 'cleaned_up');
      },
    },
    {
      name: 'is gone after a clean-up, which may be repeated',
      async run(subject) {
        const { sandbox, files } = await activeSandbox(subject);
        await sandbox.cleanup();
        await sandbox.cleanup();
        assert.equal(sandbox.status, 'cleaned_up');
        assert.equal(await files.read('README.md'), null);
        assert.equal(await subject.project.read('README.md'), 'read me\n');
      },
    },
    {
      name: 'can be cleaned up before it was ever created',
      async run(subject) {
        const sandbox = subject.make();
        await sandbox.cleanup();
        assert.equal(sandbox.status, 'cleaned_up');
      },
    },
    {
      name: 'refuses every call that is out of turn, naming state and call',
      async run(subject) {
        const wrongState = refusesWith('SANDBOX_INVALID_STATE');
        const pending = subject.make();
        await assert.rejects(pending.getPath('a'), wrongState);
        await assert.rejects(pending.commit(), wrongState);
        await assert.rejects(pending.rollback(), wrongState);
        const created = subject.make();
        await created.create(PLAN);
        await assert.rejects(created.create(PLAN), wrongState);
        await assert.rejects(created.rollback(), wrongState);
        await created.cleanup();
        await assert.rejects(created.getPath('file.txt'), wrongState);
        await assert.rejects(created.commit(), wrongState);
        await assert.rejects(created.changes(), {
          message: 'Cannot call changes() on a sandbox that is cleaned_up',
        });
      },
    },
    {
      name: 'does not start what was aborted before',
      async run(subject) {
        const { sandbox, files } = await activeSandbox(subject);
        await files.write('new.txt', 'new\n');
        const signal = AbortSignal.abort();
        await assert.rejects(sandbox.commit('aborted', { signal }), refusesWith('SANDBOX_ABORTED'));
        assert.equal(sandbox.status, 'active');
        assert.equal(await subject.project.read('new.txt'), null);
      },
    },
  ],
};
