import type { Expression } from './expression.ts';
import { type ExpressionToken, tokenize } from './expression-tokens.ts';

/** How to find the lines that match an expression without trying each line. */
export interface ExpressionPlan {
  readonly expression: Expression;
  /** A text that every match holds: a line without it needs no look. */
  readonly literal?: string | undefined;
  /**
   * For a text of many lines: finds there what the expression finds in the lines by themselves, while the text has no
   * line end but line feeds. At the very end of the text, behind the last line feed, is no line.
   */
  readonly wholeText?: { readonly source: string; readonly flags: string } | undefined;
}

/** A shorter text is on too many lines to be of help. */
const SHORTEST_LITERAL = 2;

export function planExpression(expression: Expression): ExpressionPlan {
  const tokens = tokenize(expression);
  if (tokens === undefined) return { expression };
  const literal = new LiteralFinder(tokens).find();
  return {
    expression,
    ...(isOfHelp(literal) && { literal }),
    wholeText: {
      source: tokens.map((token) => withoutLineFeed(token, expression)).join(''),
      flags: `gm${expression.flags}`,
    },
  };
}

/** What finds a text of one line, wherever it stands. */
export function planLiteral(literal: string): ExpressionPlan {
  // Without `u`: there a text is found in the middle of what looks like one character, as a search for plain text does.
  return { expression: { source: literal.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&'), flags: '' }, literal };
}

/** U+FFFD also stands for bytes that are no text, which nobody can look for. */
function isOfHelp(literal: string): boolean {
  return literal.length >= SHORTEST_LITERAL && literal.isWellFormed() && !literal.includes('\ufffd');
}

/** What `s` matches is what `S` does not, and so on: the line feed can be left out of the complement's complement. */
const COMPLEMENTS: Readonly<Record<string, string>> = { s: 'S', D: 'd', W: 'w' };

/** The same piece, except that it never takes a line feed. */
function withoutLineFeed({ kind, source }: ExpressionToken, { flags }: Expression): string {
  if (kind !== 'set' && kind !== 'character') return source;
  if (!new RegExp(source, flags).test('\n')) return source;
  if (source.startsWith('[^')) return `[^\\n${source.slice(2)}`;
  const complement = COMPLEMENTS[source.slice(1)];
  if (complement !== undefined) return `[^\\${complement}\\n]`;
  return source.startsWith('\\P') ? `[^\\p${source.slice(2)}\\n]` : `(?:(?!\\n)${source})`;
}

/** Finds the longest text that each match of an expression holds, `''` where there is none. */
class LiteralFinder {
  readonly #tokens: readonly ExpressionToken[];
  #next = 0;

  constructor(tokens: readonly ExpressionToken[]) {
    this.#tokens = tokens;
  }

  find(): string {
    return this.#alternatives();
  }

  /** Up to the end, or behind the parenthesis that closes them. */
  #alternatives(): string {
    let [best, run, alternatives] = ['', '', 1];
    const end = (rest = ''): void => {
      if (run.length > best.length) best = run;
      run = rest;
    };
    for (let token = this.#take(); token !== undefined && token.kind !== 'close'; token = this.#take()) {
      if (token.kind === 'character' && !/[\r\n]/.test(token.character)) {
        const least = this.#leastOfQuantifier();
        if (least === undefined) run += token.character;
        else if (least === 0) end();
        else {
          run += token.character;
          end(token.character);
        }
      } else if (token.kind === 'open') {
        end();
        run = this.#group(token.isLookaround);
        end();
      } else if (token.kind !== 'assertion') {
        end();
        if (token.kind === 'or') alternatives++;
      }
    }
    end();
    return alternatives === 1 ? best : '';
  }

  #group(isLookaround: boolean): string {
    const inside = this.#alternatives();
    return isLookaround || this.#leastOfQuantifier() === 0 ? '' : inside;
  }

  #take(): ExpressionToken | undefined {
    return this.#tokens[this.#next++];
  }

  /** Of the one that comes next, which is then done with. */
  #leastOfQuantifier(): number | undefined {
    const token = this.#tokens[this.#next];
    if (token?.kind !== 'quantifier') return undefined;
    this.#next++;
    return token.least;
  }
}
