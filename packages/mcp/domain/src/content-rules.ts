/**
 * Names of arguments whose values are the content of files, or patterns to find in it, at any depth (R10). They reach the
 * tool byte for byte: a path written *into* a file is the author's text.
 */
export const DEFAULT_CONTENT_FIELDS: readonly string[] = [
  'content',
  'text',
  'old_text',
  'new_text',
  'oldText',
  'newText',
  'old_string',
  'new_string',
  'oldString',
  'newString',
  'old_str',
  'new_str',
  'file_text',
  'insert_text',
  'data',
  'blob',
  'patch',
  'diff',
  'pattern',
  'patterns',
  'excludePatterns',
  'exclude_patterns',
  'includePatterns',
  'include_patterns',
  'regex',
  'regexp',
];

/** Names of tools whose results are the content of files (R10), so that an edit made from a read still matches. */
export const DEFAULT_CONTENT_READERS: readonly string[] = [
  'read_file',
  'read_text_file',
  'read_media_file',
  'read_multiple_files',
  'read_many_files',
  'get_file_contents',
  'file_read',
  'fs_read',
  'readFile',
  'readTextFile',
  'builtin/file-read',
];

/** What is known of one tool, beyond the defaults. */
export interface ToolContentRules {
  /** Arguments that hold content, instead of the general list. */
  readonly contentFields?: readonly string[];
  /** Whether its result is the content of files. */
  readonly readsContent?: boolean;
}

export interface ContentRulesOptions {
  /** Instead of {@link DEFAULT_CONTENT_FIELDS}. */
  readonly contentFields?: readonly string[] | undefined;
  /** Instead of {@link DEFAULT_CONTENT_READERS}. */
  readonly contentReaders?: readonly string[] | undefined;
  /** By tool name. */
  readonly tools?: Readonly<Record<string, ToolContentRules>> | undefined;
}

type Fields = Readonly<Record<string, unknown>>;

/** Says of an object's field that it is copied as it is. */
export type KeepsField = (key: string, holder: Fields) => boolean;

/** The protocol's own fields beside a result: a peer gets back exactly what it said. */
const OPAQUE_RESULT_FIELDS: ReadonlySet<string> = new Set(['nextCursor', 'requestState']);

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** What is base64, or the body of a resource, by the shapes that MCP gives to them. */
function isBody(key: string, holder: Fields): boolean {
  if (key === 'data') return holder['type'] === 'image' || holder['type'] === 'audio';
  return (key === 'blob' || key === 'text') && typeof holder['uri'] === 'string';
}

export class ContentRules {
  readonly #fields: ReadonlySet<string>;
  readonly #readers: ReadonlySet<string>;
  readonly #tools: ReadonlyMap<string, ToolContentRules>;

  constructor({ contentFields, contentReaders, tools }: ContentRulesOptions) {
    this.#fields = new Set(contentFields ?? DEFAULT_CONTENT_FIELDS);
    this.#readers = new Set(contentReaders ?? DEFAULT_CONTENT_READERS);
    this.#tools = new Map(Object.entries(tools ?? {}));
  }

  /** Which fields of a tool's arguments are content, whatever they hold. */
  inArguments(tool: string | undefined): KeepsField {
    const own = tool === undefined ? undefined : this.#tools.get(tool)?.contentFields;
    const fields = own === undefined ? this.#fields : new Set(own);
    return (key) => fields.has(key);
  }

  /** Which fields of a result are content; `'all'` when a content reader answered in no shape of MCP's. */
  inResult(result: unknown, tool: string | undefined): KeepsField | 'all' {
    const kept: KeepsField = (key, holder) =>
      key === '_meta' || isBody(key, holder) || (holder === result && OPAQUE_RESULT_FIELDS.has(key));
    if (!this.reads(tool)) return kept;
    if (!isFields(result)) return 'all';
    if (result['isError'] === true) return kept;
    if (!Array.isArray(result['content']) && !('structuredContent' in result)) return 'all';
    return (key, holder) =>
      kept(key, holder) ||
      (key === 'structuredContent' && holder === result) ||
      (key === 'text' && holder['type'] === 'text');
  }

  /** Whether a tool's results are the content of files. */
  reads(tool: string | undefined): boolean {
    if (tool === undefined) return false;
    return this.#tools.get(tool)?.readsContent ?? this.#readers.has(tool);
  }
}
