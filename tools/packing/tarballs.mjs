// Packs the published packages as `npm publish` would, and looks at what lies in the tarballs.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';
import { root } from '../manifests/workspace.mjs';
import { publishablePackages } from './publishable.mjs';

/** The core of the attw command: 25 packages in the time of one. */
const core = createRequire(
  createRequire(import.meta.url).resolve('@arethetypeswrong/cli/package.json'),
).resolve('@arethetypeswrong/core');
const { checkPackage, createPackageFromTarballData } = await import(pathToFileURL(core).href);

/** What attw calls the profile `esm-only`. */
const RESOLUTIONS = ['node16-esm', 'bundler'];

/**
 * @param {string} destination an empty folder
 * @returns {{ folder: string, manifest: object, tarball: string, files: readonly string[] }[]}
 */
export function packAll(destination) {
  const packages = publishablePackages();
  const output = execFileSync(
    'npm',
    [
      'pack',
      '--json',
      '--loglevel=error',
      `--pack-destination=${destination}`,
      ...packages.map(({ folder }) => `--workspace=${folder}`),
    ],
    { cwd: root, encoding: 'utf8', maxBuffer: 2 ** 26 },
  );
  const parsed = JSON.parse(output);
  const packed = new Map(Object.values(parsed).map((each) => [each.name, each]));
  return packages.map(({ folder, manifest }) => {
    const { filename, files } = packed.get(manifest.name);
    return {
      folder,
      manifest,
      tarball: join(destination, filename),
      files: files.map((file) => file.path),
    };
  });
}

/** What publint says of a tarball, suggestions included. */
export async function publintMessages({ manifest, tarball }) {
  const data = readFileSync(tarball);
  const { messages } = await publint({
    pack: { tarball: data.buffer.slice(data.byteOffset, data.byteOffset + data.byteLength) },
    strict: true,
  });
  return messages.map((message) => formatMessage(message, manifest, { color: false }) ?? message.code);
}

/** What attw says of the types in a tarball, for programs that are ES modules. */
export async function typeProblems({ tarball }) {
  const result = await checkPackage(createPackageFromTarballData(new Uint8Array(readFileSync(tarball))));
  if (!result.types) return ['it has no types'];
  return result.problems
    .filter(({ resolutionKind }) => resolutionKind === undefined || RESOLUTIONS.includes(resolutionKind))
    .map(({ kind, entrypoint, resolutionKind }) =>
      [kind, entrypoint, resolutionKind].filter((part) => part !== undefined).join(' '),
    );
}
