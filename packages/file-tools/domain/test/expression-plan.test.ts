import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  type ExpressionPlan,
  parseExpression,
  planExpression,
  planLiteral,
} from '@cleveragents/file-tools-domain';

const planOf = (source: string): ExpressionPlan => planExpression(parseExpression(source));

describe('the text that every match of an expression holds', () => {
  it.each([
    ['needle', 'needle'],
    ['^needle$', 'needle'],
    ['\\bneedle\\(', 'needle('],
    ['ne+dle', 'edle'],
    ['needles?', 'needle'],
    ['need{0,2}le', 'nee'],
    ['need{2}le', 'need'],
    ['a.needle.b', 'needle'],
    ['(?:need)le', 'need'],
    ['(?:need|le)xy', 'xy'],
    ['(?:need)*xy', 'xy'],
    ['(?<name>need)\\k<name>', 'need'],
    ['(?!needle)xy', 'xy'],
    ['(?<=needle)xy', 'xy'],
    ['[a-z]needle\\d', 'needle'],
    ['über🙂x', 'über🙂x'],
    ['\\"needle\\"', '"needle"'],
    ['a{needle', 'a{needle'],
  ])('of %j is %j', (source, literal) => {
    expect(planOf(source).literal).toBe(literal);
  });

  it.each([
    'needle|thread',
    '(need|le)',
    'a',
    '.',
    '',
    '[needle]',
    '(?:needle)?',
    '(?=needle)',
    '\\n\\ne',
    'x*',
    '\ufffdneedle',
    '\\ud83dx',
    '🙂?x\\-',
    '(a)\\1\\-xy',
  ])('is none, or of no help, for %j', (source) => {
    expect(planOf(source).literal).toBeUndefined();
  });
});

describe('a plain text', () => {
  it('is planned as the expression that finds it, whatever its characters mean to expressions', () => {
    fc.assert(
      fc.property(
        fc.string({ minLength: 1, unit: 'binary' }),
        fc.string({ unit: 'binary' }),
        (literal, around) => {
          const { expression, literal: held } = planLiteral(literal);
          const found = new RegExp(expression.source, expression.flags).exec(around + literal + around);
          expect([found?.index, found?.[0], held]).toEqual([
            (around + literal + around).indexOf(literal),
            literal,
            literal,
          ]);
        },
      ),
    );
  });
});

describe('an expression for a whole text', () => {
  it('is not made of what is not wholly understood', () => {
    for (const source of ['(a)\\1\\-', '\\u{1F642}\\-', '\\c\\-', '🙂\\-', '\\p{L}\\-'])
      expect(planOf(source)).toEqual({ expression: { source, flags: '' } });
  });

  const atom = fc.constantFrom(
    ...[
      'a',
      'b',
      'ab',
      '.',
      '\\s',
      '\\S',
      '\\d',
      '\\D',
      '\\w',
      '\\W',
      '\\b',
      '\\B',
      '^',
      '$',
      '\\n',
      '\n',
      '\\r',
    ],
    ...[
      '[ab]',
      '[^a]',
      '[^]',
      '[]',
      '[\\s\\S]',
      '[^\\S]',
      '[\\n-a]',
      '\\x0a',
      '\\u000a',
      '\\cJ',
      '\\0',
      '\\t',
    ],
    ...[
      '\\P{L}',
      '\\p{L}',
      '\\u{a}',
      '🙂',
      '\\ud83d\\ude42',
      '\\ud83d',
      '\\-',
      '\\.',
      '\\(',
      '{',
      '\\1',
      'é',
      '[]]',
    ],
  );
  const quantifier = fc.constantFrom('', '', '', '*', '+', '?', '*?', '+?', '{2}', '{0,1}', '{1,}?');
  const { source } = fc.letrec<{ source: string; term: string; group: string }>((tie) => ({
    source: fc
      .array(tie('term'), { minLength: 1, maxLength: 3 })
      .chain((terms) => fc.constantFrom(terms.join(''), terms.join(''), terms.join('|'))),
    term: fc
      .tuple(fc.oneof({ depthSize: 'small' }, atom, tie('group')), quantifier)
      .map((both) => both.join('')),
    group: fc
      .tuple(fc.constantFrom('(', '(?:', '(?=', '(?!', '(?<=', '(?<!', '(?<n>'), tie('source'))
      .map(([open, inside]) => `${open}${inside})`),
  }));
  const text = fc
    .array(fc.constantFrom('a', 'b', 'ab', ' ', '1', '\n', '\n', '-', '.', '🙂', 'é', '{', '(', '\t', '\0'), {
      maxLength: 14,
    })
    .map((parts) => parts.join(''));

  it('finds the first match of each line, and what it skips for a literal has none', () => {
    fc.assert(
      fc.property(source, fc.array(text, { minLength: 1, maxLength: 4 }), (some, texts) => {
        const plan = planIfValid(some);
        if (plan === undefined) return;
        const expression = new RegExp(plan.expression.source, plan.expression.flags);
        for (const whole of texts) {
          const expected = firstMatches(whole, expression);
          if (plan.wholeText !== undefined) expect(foundInWhole(whole, plan.wholeText)).toEqual(expected);
          const { literal } = plan;
          if (literal !== undefined)
            for (const [line, at] of expected)
              expect(whole.split('\n')[line]?.indexOf(literal, at)).not.toBe(-1);
        }
      }),
      { numRuns: 6000 },
    );
  });
});

function planIfValid(source: string): ExpressionPlan | undefined {
  try {
    return planOf(source);
  } catch {
    // No expression at all; the generator does not know the rules.
    return undefined;
  }
}

/** `[line, index in the line]`, line by line. */
function firstMatches(text: string, expression: RegExp): readonly (readonly [number, number])[] {
  const lines = text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  return lines.flatMap((line, index) => {
    const match = expression.exec(line);
    return match === null ? [] : [[index, match.index] as const];
  });
}

function foundInWhole(
  text: string,
  { source, flags }: { readonly source: string; readonly flags: string },
): readonly (readonly [number, number])[] {
  const found: (readonly [number, number])[] = [];
  const expression = new RegExp(source, flags);
  for (let match = expression.exec(text); match !== null; match = expression.exec(text)) {
    if (match.index === text.length && (text === '' || text.endsWith('\n'))) break;
    const before = text.slice(0, match.index).split('\n');
    found.push([before.length - 1, before.at(-1)?.length ?? 0]);
    const feed = text.indexOf('\n', match.index);
    if (feed < 0) break;
    expression.lastIndex = feed + 1;
  }
  return found;
}
