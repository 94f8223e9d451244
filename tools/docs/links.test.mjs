// Relative links in Markdown lead somewhere.
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, it } from 'node:test';
import { root } from '../setup.mjs';
import { markdownFiles } from './markdown-files.mjs';

const LINK = /\]\((?<target>[^)\s]+)\)/g;
const FENCED = /^```[\s\S]*?^```$/gm;

const targetsOf = (file) =>
  [...readFileSync(join(root, file), 'utf8').replace(FENCED, '').matchAll(LINK)]
    .map((match) => match.groups.target.replace(/#.*$/, ''))
    .filter((target) => target !== '' && !/^[a-z]+:/.test(target));

describe('every link of a document leads somewhere', () => {
  for (const file of markdownFiles())
    it(file, () => {
      const broken = targetsOf(file).filter((target) => !existsSync(join(root, dirname(file), target)));
      assert.deepEqual(broken, []);
    });
});
