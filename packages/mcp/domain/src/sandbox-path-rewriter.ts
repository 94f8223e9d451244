import { ContentRules, type ContentRulesOptions, type KeepsField } from './content-rules.ts';
import { type CopyRules, plainCopy, rewrittenCopy } from './copy.ts';
import { isFileUri, judgeFileUri } from './file-uri.ts';
import { withHeadings } from './headings.ts';
import { McpPathError } from './mcp-path.errors.ts';
import { PathMap } from './path-map.ts';
import { parseMappings, type Root, type RootMapping, type Side } from './root.ts';
import { TextRewriter } from './text-rewriter.ts';
import type { PathObserver } from './text-scan.ts';

/** A setting for both ways, or one for each. */
export type EachWay = boolean | { readonly arguments?: boolean; readonly results?: boolean };

/** A path that was rewritten. */
export interface RewrittenPath {
  /** The side whose name it has now. */
  readonly to: Side;
  readonly before: string;
  readonly after: string;
}

export interface RewriterSettings extends ContentRulesOptions {
  /** Rewrites paths in the middle of strings, too. Default: in results, not in arguments. */
  readonly text?: EachWay | undefined;
  /** Rewrites the keys of objects, too. Default: neither way. */
  readonly keys?: EachWay | undefined;
  /** Understands `C:\`, `C:/` and `\\server\share` roots, whatever the case and the slashes of a path. Default: false. */
  readonly windows?: boolean | undefined;
  /** Refuses a path that leaves its root through `..`, instead of leaving it alone. Texts are never refused. Default: false. */
  readonly strict?: boolean | undefined;
  /** Told of each rewritten path, in order. */
  readonly onRewrite?: ((path: RewrittenPath) => void) | undefined;
}

/** One mapping in short, or several. */
export type RewriterRoots =
  { readonly hostRoot: string; readonly sandboxRoot: string } | { readonly mappings: readonly RootMapping[] };

export type SandboxPathRewriterOptions = RewriterRoots & RewriterSettings;

export interface ToolReference {
  /** The tool that is called, or answered: its content is told from its paths by its name. */
  readonly tool?: string | undefined;
}

export interface AnsweredTool extends ToolReference {
  /**
   * What was asked for, in the tool's names and order, when it was several files at once: the headings that name them in the
   * answer are no content.
   */
  readonly files?: readonly string[] | undefined;
}

export interface RewriteSettings {
  /** The side whose names the value shall have. */
  readonly to: Side;
  /** Rewrites paths in the middle of strings, too. Default: false. */
  readonly text?: boolean | undefined;
}

interface Way {
  readonly to: Side;
  readonly paths: PathMap;
  readonly texts: TextRewriter;
  readonly observe: PathObserver | undefined;
}

interface CopySettings extends Pick<CopyRules, 'keeps' | 'kept'> {
  readonly text: boolean;
  readonly keys: boolean;
}

const nothingKept: KeepsField = () => false;

/**
 * Gives the paths in MCP messages the names that their reader knows: arguments go into the sandbox, results come out.
 *
 * Paths inside a root survive the way there and back; whatever else a message holds comes through unchanged; rewriting twice
 * is rewriting once. Inputs are never changed. The same input always gives the same output.
 */
export class SandboxPathRewriter {
  readonly #settings: RewriterSettings;
  readonly #content: ContentRules;
  readonly #into: Way;
  readonly #out: Way;

  /**
   * @throws McpPathError for roots that are no absolute paths (`MCP_PATH_ROOT_INVALID`, `MCP_PATH_ROOT_RELATIVE`), that are
   * given twice on whichever side (`MCP_PATH_ROOTS_EQUAL`), or not at all (`MCP_PATH_NO_MAPPING`).
   */
  constructor(options: SandboxPathRewriterOptions) {
    const mappings =
      'mappings' in options ? options.mappings : [{ host: options.hostRoot, sandbox: options.sandboxRoot }];
    const roots = parseMappings(mappings, options.windows === true);
    this.#settings = options;
    this.#content = new ContentRules(options);
    this.#into = this.#way(roots, 'sandbox');
    this.#out = this.#way(roots, 'host');
  }

  /**
   * A deep copy of a tool's arguments with host paths named as the sandbox names them. Content fields are copied as they are.
   * @throws McpPathError `MCP_PATH_TOO_DEEP`, `MCP_PATH_KEY_COLLISION`, and with `strict` `MCP_PATH_ESCAPES_ROOT`.
   */
  rewriteArguments<T>(toolArguments: T, { tool }: ToolReference = {}): T {
    return this.#rewritten(toolArguments, this.#into, {
      text: eachWay(this.#settings.text, 'arguments', false),
      keys: eachWay(this.#settings.keys, 'arguments', false),
      keeps: this.#content.inArguments(tool),
    });
  }

  /**
   * A deep copy of a tool's result with sandbox paths named as the host names them: an MCP result, or any other value.
   * The content that a content reader answers is copied as it is, unless `isError` says that it is no content; of a reader of
   * several files, all but the headings.
   * @throws McpPathError as {@link rewriteArguments}.
   */
  rewriteResult<T>(result: T, { tool, files }: AnsweredTool = {}): T {
    const keeps = this.#content.inResult(result, tool);
    if (keeps === 'all') return plainCopy(result) as T;
    return this.#rewritten(result, this.#out, {
      text: eachWay(this.#settings.text, 'results', true),
      keys: eachWay(this.#settings.keys, 'results', false),
      keeps,
      kept: files && this.#content.reads(tool) ? this.#headingsOf(files) : undefined,
    });
  }

  /** A deep copy of any other part of a message, every field of which is rewritten. */
  rewrite<T>(value: T, { to, text = false }: RewriteSettings): T {
    return this.#rewritten(value, this.#wayTo(to), { text, keys: false, keeps: nothingKept });
  }

  /** A text, such as an error message, with the paths in it rewritten. */
  rewriteText(text: string, { to }: { readonly to: Side }): string {
    return this.#wayTo(to).texts.rewrite(text);
  }

  /** The sandbox paths that `text` holds: what its reader on the host could not open. */
  sandboxPathsIn(text: string): readonly string[] {
    return this.#out.texts.pathsIn(text);
  }

  #way(roots: readonly Root[], to: Side): Way {
    const from = to === 'host' ? 'sandbox' : 'host';
    const paths = new PathMap(roots, from);
    const { onRewrite } = this.#settings;
    const observe = onRewrite && ((before: string, after: string): void => onRewrite({ to, before, after }));
    return { to, paths, observe, texts: new TextRewriter(roots, { from, paths, observe }) };
  }

  #wayTo(side: Side): Way {
    return side === 'sandbox' ? this.#into : this.#out;
  }

  #rewritten<T>(value: T, way: Way, { text, keys, keeps, kept }: CopySettings): T {
    const whole = (path: string): string => this.#rewriteWhole(path, way);
    const string = text ? (embedded: string) => way.texts.rewrite(embedded) : whole;
    return rewrittenCopy(value, { string, key: keys ? whole : undefined, keeps, kept }) as T;
  }

  #headingsOf(files: readonly string[]): (text: string) => string {
    const path = (file: string): string => this.#rewriteWhole(file, this.#out);
    const words = (text: string): string => this.#out.texts.rewrite(text);
    return (text) => withHeadings(text, { files, path, words });
  }

  #rewriteWhole(text: string, { to, paths, observe }: Way): string {
    const verdict = isFileUri(text) ? judgeFileUri(text, paths) : paths.judge(text);
    if (verdict.kind === 'escapes' && this.#settings.strict === true)
      throw new McpPathError('MCP_PATH_ESCAPES_ROOT', `The path leaves its root: ${JSON.stringify(text)}`, {
        hint: 'Give a path without "..", or one that stays inside.',
        data: { path: text, to },
      });
    if (verdict.kind !== 'mapped') return text;
    observe?.(text, verdict.path);
    return verdict.path;
  }
}

function eachWay(setting: EachWay | undefined, way: 'arguments' | 'results', otherwise: boolean): boolean {
  return (typeof setting === 'boolean' ? setting : setting?.[way]) ?? otherwise;
}
