import { createHash } from 'node:crypto';
import { lstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';

/** Every file of a folder by path: type, permissions and content; `skip` names are left out at any depth. */
export function pictureOf(
  folder: string,
  skip: readonly string[] = ['.git'],
): Readonly<Record<string, string>> {
  const picture: Record<string, string> = {};
  const visit = (directory: string, prefix: string): void => {
    for (const name of readdirSync(directory).sort()) {
      if (skip.includes(name)) continue;
      const path = join(directory, name);
      const stat = lstatSync(path);
      const mode = (stat.mode & 0o777).toString(8);
      if (stat.isDirectory()) {
        picture[`${prefix}${name}/`] = mode;
        visit(path, `${prefix}${name}/`);
      } else if (stat.isSymbolicLink()) picture[prefix + name] = `link ${readlinkSync(path)}`;
      else if (stat.isFile()) picture[prefix + name] = `${mode} ${hash(readFileSync(path))}`;
      else picture[prefix + name] = 'special';
    }
  };
  visit(folder, '');
  return picture;
}

function hash(bytes: Buffer): string {
  return createHash('sha1').update(bytes).digest('hex').slice(0, 10);
}

/** Names below a git folder that nothing of ours may leave behind. */
export function litterIn(gitDirectory: string): readonly string[] {
  const found: string[] = [];
  const visit = (directory: string, prefix: string): void => {
    for (const entry of readdirSync(directory, { withFileTypes: true })) {
      const path = prefix + entry.name;
      // an empty folder is a free lock
      if (path === 'cleveragents/apply.lock') continue;
      const isLitter = /\.lock$|^\.cleveragents-|^tmp_obj/.test(entry.name) || /staging\/./.test(path);
      if (isLitter || /cleveragents\/journal\/./.test(path)) found.push(path);
      if (entry.isDirectory()) visit(join(directory, entry.name), `${path}/`);
    }
  };
  visit(gitDirectory, '');
  return found;
}
