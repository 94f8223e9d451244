// What a stranger gets from npm: clean tarballs, which install together in an empty project and work from ES modules and
// from TypeScript, whichever way it resolves modules.
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import {
  compile,
  createConsumer,
  examples,
  importEntry,
  resolutions,
  runCommand,
  runProgram,
} from './consumer.mjs';
import { entryPoints, publishablePackages } from './publishable.mjs';
import { packAll, publintMessages, typeProblems } from './tarballs.mjs';

const packages = publishablePackages().map(({ manifest }) => manifest);
const SUCCESS = 0;

let folder;
let packed;
before(() => {
  folder = mkdtempSync(join(tmpdir(), 'cleveragents-packing-'));
  mkdirSync(join(folder, 'tarballs'));
  packed = packAll(join(folder, 'tarballs'));
});
after(() => rmSync(folder, { recursive: true, force: true }));

const tarballOf = (name) => packed.find(({ manifest }) => manifest.name === name);

describe('a tarball', () => {
  for (const { name, exports } of packages) {
    it(`of ${name} is clean to publint`, async () => {
      assert.deepEqual(await publintMessages(tarballOf(name)), []);
    });

    it(`of ${name} holds no test and nothing of the build's own`, () => {
      const strange = tarballOf(name).files.filter((file) =>
        /(^|\/)test\/|tsbuildinfo|out-tsc|\.tgz$/.test(file),
      );
      assert.deepEqual(strange, []);
    });

    if (exports)
      it(`of ${name} has types that are right`, async () => {
        assert.deepEqual(await typeProblems(tarballOf(name)), []);
      });
  }
});

describe('an empty project with all of them', () => {
  let consumer;
  before(() => {
    consumer = join(folder, 'consumer');
    mkdirSync(consumer);
    createConsumer(consumer, packed);
  });

  for (const specifier of packages.flatMap(entryPoints))
    it(`imports ${specifier}`, () => {
      const { status, output } = importEntry(consumer, specifier);
      assert.equal(status, SUCCESS, output);
    });

  for (const resolution of resolutions)
    it(`compiles with moduleResolution ${resolution}`, () => {
      const { status, output } = compile(consumer, resolution);
      assert.equal(status, SUCCESS, output);
    });

  for (const name of ['every-entry', ...examples()])
    it(`runs its program ${name}`, () => {
      const { status, output } = runProgram(consumer, name);
      assert.equal(status, SUCCESS, output);
    });

  for (const { name, bin = {}, version } of packages)
    for (const command of Object.keys(bin))
      it(`runs the command ${command} of ${name}`, () => {
        const { status, output } = runCommand(consumer, command, '--version');
        assert.equal(status, SUCCESS, output);
        assert.ok(output.includes(version), output);
      });
});
