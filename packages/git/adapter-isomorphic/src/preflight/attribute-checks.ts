import { dirname, join } from 'node:path';
import {
  type AttributeFile,
  type AttributeRule,
  attributesOf,
  type AttributeState,
  compileWildmatch,
  type ObjectId,
  parseAttributes,
} from '@cleveragents/git-domain';
import type { UnsupportedFeature } from '@cleveragents/git-ports';
import type { Environment } from '../environment.ts';
import { readTextIfThere } from '../file-access.ts';
import type { GitConfig } from '../git-config.ts';
import { ObjectDatabase } from '../object-database.ts';
import { gitPath, type RepositoryLayout } from '../repository-layout.ts';
import { examples, finding } from './finding.ts';
import type { IndexSurvey } from './index-survey.ts';

export interface AttributeSources {
  readonly layout: RepositoryLayout;
  readonly config: GitConfig;
  readonly survey: IndexSurvey;
  readonly environment: Environment;
}

/** Attributes under which git changes a file's bytes, or merges in its own way. */
export function checkAttributes(sources: AttributeSources): readonly UnsupportedFeature[] {
  const files = readAttributeFiles(sources);
  if (files.length === 0) return [];
  return [...checkRules(files), ...checkCarriageReturns(files, sources)];
}

interface NamedAttributeFile extends AttributeFile {
  readonly name: string;
}

/** Weakest first, as git has them. */
function readAttributeFiles(sources: AttributeSources): readonly NamedAttributeFile[] {
  const { layout, config, survey, environment } = sources;
  const { workTree } = layout;
  const system = environment['GIT_ATTR_NOSYSTEM'] === undefined ? '/etc/gitattributes' : null;
  const tracked = new Set(['.gitattributes', ...survey.attributeFiles]);
  const byDepth = [...tracked].sort((a, b) => a.split('/').length - b.split('/').length);
  return [
    ...read(system, ''),
    ...read(config.attributesFile, ''),
    ...(workTree === null
      ? []
      : byDepth.flatMap((name) =>
          read(join(workTree, name), name === '.gitattributes' ? '' : dirname(name)),
        )),
    ...read(gitPath(layout, 'info/attributes'), ''),
  ];
}

function read(path: string | null, folder: string): readonly NamedAttributeFile[] {
  const text = path === null ? null : readTextIfThere(path);
  return text === null || path === null ? [] : [{ name: path, folder, rules: parseAttributes(text) }];
}

interface Refusal {
  readonly feature: string;
  readonly attribute: string;
  readonly refuses: (state: AttributeState) => boolean;
  readonly why: string;
}

const isValue = (state: AttributeState): boolean => typeof state === 'string' || state === true;
const BUILT_IN_MERGES = new Set<AttributeState>(['text', 'binary', true, false, null]);

const REFUSALS: readonly Refusal[] = [
  { feature: 'filter', attribute: 'filter', refuses: isValue, why: 'a program changes the bytes of files' },
  {
    feature: 'ident',
    attribute: 'ident',
    refuses: (state) => state === true,
    why: 'git expands $Id$ in files',
  },
  {
    feature: 'working-tree-encoding',
    attribute: 'working-tree-encoding',
    refuses: (state) => typeof state === 'string' && !/^utf-?8$/i.test(state),
    why: 'git recodes files',
  },
  {
    feature: 'eol-crlf',
    attribute: 'eol',
    refuses: (state) => state === 'crlf',
    why: 'git changes line endings',
  },
  {
    feature: 'merge-driver',
    attribute: 'merge',
    refuses: (state) => !BUILT_IN_MERGES.has(state),
    why: 'files are merged by a driver of their own',
  },
];

/** One finding for each attribute, however many rules name it. */
function checkRules(files: readonly NamedAttributeFile[]): readonly UnsupportedFeature[] {
  return REFUSALS.flatMap(({ feature, attribute, refuses, why }) => {
    const rules = files.flatMap(({ name, rules }) =>
      rules.flatMap((rule) => {
        const state = rule.attributes.get(attribute);
        if (state === undefined || !refuses(state)) return [];
        return [`${rule.pattern} ${attribute}${state === true ? '' : `=${String(state)}`} (${name})`];
      }),
    );
    return rules.length === 0 ? [] : [finding(feature, `${why}: ${examples(rules)}`)];
  });
}

/**
 * Files that hold CR LF although an attribute says that git stores them with LF: git would call each untouched copy of them
 * changed. Only where rules say so is any file's content looked at; `text=auto` leaves such files as they are.
 */
function checkCarriageReturns(
  files: readonly NamedAttributeFile[],
  { layout, survey }: AttributeSources,
): readonly UnsupportedFeature[] {
  const suspects = files.flatMap(({ folder, rules }) =>
    rules.filter(({ attributes }) => mayNormalize(attributes)).map((rule) => matcherOf(folder, rule)),
  );
  if (suspects.length === 0) return [];
  const objects = new ObjectDatabase(gitPath(layout, 'objects'));
  try {
    const found = findFirst(survey.files(), 3, ({ path, id }) => {
      if (!suspects.some((matches) => matches(path))) return false;
      return isNormalized(attributesOf(path, files)) && holdsCarriageReturns(objects, id);
    });
    const paths = found.map(({ path }) => path);
    return paths.length === 0
      ? []
      : [
          finding(
            'crlf-files',
            `CR LF in files that attributes call text: ${paths.join(', ')}`,
            CRLF_WAY_OUT,
          ),
        ];
  } finally {
    objects.close();
  }
}

const CRLF_WAY_OUT = 'Run `git add --renormalize .` and commit, or use the native engine.';

function mayNormalize(attributes: AttributeRule['attributes']): boolean {
  const [text, eol, crlf] = [attributes.get('text'), attributes.get('eol'), attributes.get('crlf')];
  return text === true || text === 'input' || eol === 'lf' || crlf === true || crlf === 'input';
}

function isNormalized(attributes: ReadonlyMap<string, AttributeState>): boolean {
  const text = attributes.get('text') ?? attributes.get('crlf');
  if (text === true || text === 'input') return true;
  return text === undefined && attributes.get('eol') === 'lf';
}

/** Faster than the exact rules, and never narrower. */
function matcherOf(folder: string, { pattern, isMacro }: AttributeRule): (path: string) => boolean {
  if (isMacro) return () => true;
  const slashesCount = pattern.includes('/');
  const matches = compileWildmatch(bytewise(pattern.replace(/^\//, '')), { slashesCount, ignoreCase: false });
  const prefix = folder === '' ? '' : `${folder}/`;
  return (path) => {
    if (!path.startsWith(prefix)) return false;
    return matches(bytewise(path.slice(slashesCount ? prefix.length : path.lastIndexOf('/') + 1)));
  };
}

function bytewise(text: string): string {
  return Buffer.from(text).toString('latin1');
}

function holdsCarriageReturns(objects: ObjectDatabase, id: ObjectId): boolean {
  return objects.hasSync(id) && objects.readBlobSync(id).includes('\r\n');
}

function findFirst<Item>(
  items: Iterable<Item>,
  most: number,
  test: (item: Item) => boolean,
): readonly Item[] {
  const found: Item[] = [];
  for (const item of items) {
    if (!test(item)) continue;
    found.push(item);
    if (found.length === most) break;
  }
  return found;
}
