import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { FileCopySandbox, type FileCopySandboxOptions } from '@cleveragents/sandbox-adapter-fs';
import type { Sandbox } from '@cleveragents/sandbox-ports';
import type { ProjectFiles } from '@cleveragents/sandbox-ports/contract';
import { FixedClock, temporaryDirectory } from '@cleveragents/shared-testing';

export type Files = Readonly<Record<string, string>>;

export const FILES: Files = {
  'README.md': 'read me\n',
  'src/main.py': "print('hello')\n",
  'both.txt': 'one\ntwo\nthree\nfour\nfive\nsix\nseven\n',
};

/** A real folder, with what is kept of its sandboxes beside it. */
export class CopyBench {
  readonly folder = temporaryDirectory().path;
  readonly root = join(this.folder, 'project');
  readonly sandboxes = join(this.folder, 'sandboxes');
  readonly state = join(this.folder, 'state');
  readonly clock = new FixedClock('2026-04-09T17:30:00Z');

  constructor(files: Files = FILES) {
    mkdirSync(this.root);
    for (const [path, text] of Object.entries(files)) this.write(path, text);
  }

  make(options: Partial<FileCopySandboxOptions> = {}): FileCopySandbox {
    return new FileCopySandbox({
      resourceId: 'app',
      originalPath: this.root,
      sandboxFolder: this.sandboxes,
      stateFolder: this.state,
      clock: this.clock,
      ...options,
    });
  }

  /** The sandbox again, as another process would open it. */
  reopen(sandbox: Sandbox): FileCopySandbox {
    return this.make({ state: JSON.parse(JSON.stringify(sandbox.state)) });
  }

  async active(planId = 'plan-1', options: Partial<FileCopySandboxOptions> = {}): Promise<ActiveCopy> {
    const sandbox = this.make(options);
    await sandbox.create(planId);
    return new ActiveCopy(sandbox, await sandbox.getPath('.'));
  }

  write(path: string, text: string | Uint8Array): void {
    writeBelow(this.root, path, text);
  }

  read(path: string): string | null {
    return readBelow(this.root, path);
  }

  remove(path: string): void {
    rmSync(join(this.root, path), { recursive: true });
  }

  /** Everything in the project: type, permissions and content by path. */
  picture(): Readonly<Record<string, string>> {
    return pictureOf(this.root);
  }

  /** A folder that is no part of the project. */
  elsewhere(): string {
    return mkdtempSync(join(this.folder, 'elsewhere-'));
  }
}

/** A sandbox that somebody works in. */
export class ActiveCopy {
  readonly sandbox: FileCopySandbox;
  readonly path: string;

  constructor(sandbox: FileCopySandbox, path: string) {
    this.sandbox = sandbox;
    this.path = path;
  }

  write(path: string, text: string | Uint8Array): void {
    writeBelow(this.path, path, text);
  }

  read(path: string): string | null {
    return readBelow(this.path, path);
  }

  remove(path: string): void {
    rmSync(join(this.path, path), { recursive: true });
  }

  picture(): Readonly<Record<string, string>> {
    return pictureOf(this.path);
  }
}

export function filesBelow(root: string): ProjectFiles {
  return {
    read: async (path) => readBelow(root, path),
    write: async (path, text) => writeBelow(root, path, text),
    remove: async (path) => rmSync(join(root, path)),
  };
}

function readBelow(root: string, path: string): string | null {
  return existsSync(join(root, path)) ? readFileSync(join(root, path), 'utf8') : null;
}

function writeBelow(root: string, path: string, text: string | Uint8Array): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
}

export function pictureOf(root: string): Readonly<Record<string, string>> {
  const found: Record<string, string> = {};
  const visit = (folder: string, prefix: string): void => {
    for (const name of readdirSync(folder).sort()) {
      const path = join(folder, name);
      const stats = lstatSync(path);
      const mode = (stats.mode & 0o7777).toString(8);
      if (stats.isDirectory()) {
        found[`${prefix}${name}/`] = mode;
        visit(path, `${prefix}${name}/`);
      } else if (stats.isSymbolicLink()) found[prefix + name] = `link ${readlinkSync(path)}`;
      else found[prefix + name] = `${mode} ${readFileSync(path, 'latin1')}`;
    }
  };
  if (existsSync(root)) visit(root, '');
  return found;
}
