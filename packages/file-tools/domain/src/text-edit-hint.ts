/** Work is bounded by these, whatever the file and the text are. */
const MOST_LINES = 20_000;
const MOST_CHARACTERS = 200;
const LEAST_LIKENESS = 0.5;

/** What the caller may have meant, for a person or a model to decide; nothing is ever edited by likeness. */
export function hintForMissingText(oldText: string, text: string): string {
  if (withLineFeeds(text).includes(withLineFeeds(oldText)))
    return 'It is there with other line endings: give the text with the endings of the file.';
  const wanted = firstLineOf(oldText);
  const lines = text.split('\n', MOST_LINES);
  const near = nearestLine(wanted, lines);
  const place = near === undefined ? '' : ` The nearest line is ${near + 1}: ${quoted(lines[near] ?? '')}`;
  if (withoutSpace(text).includes(withoutSpace(oldText)) && withoutSpace(oldText) !== '')
    return `It is there with other white space: read the file and give its exact text.${place}`;
  return `Read the file and give its exact text.${place}`;
}

function withLineFeeds(text: string): string {
  return text.replace(/\r\n?/g, '\n');
}

function withoutSpace(text: string): string {
  return text.replace(/\s+/g, '');
}

function firstLineOf(text: string): string {
  const line = text.split('\n').find((candidate) => candidate.trim() !== '');
  return (line ?? '').trim().slice(0, MOST_CHARACTERS);
}

function nearestLine(wanted: string, lines: readonly string[]): number | undefined {
  const pairsOfWanted = pairsOf(wanted);
  let best: { readonly index: number; readonly likeness: number } | undefined;
  for (const [index, line] of lines.entries()) {
    const candidate = line.trim().slice(0, MOST_CHARACTERS);
    const likeness = candidate === wanted ? 1 : likenessOf(pairsOfWanted, pairsOf(candidate));
    if (likeness >= LEAST_LIKENESS && likeness > (best?.likeness ?? 0)) best = { index, likeness };
  }
  return best?.index;
}

function pairsOf(text: string): ReadonlySet<string> {
  const pairs = new Set<string>();
  for (let index = 0; index + 1 < text.length; index++) pairs.add(text.slice(index, index + 2));
  return pairs;
}

/** Dice's coefficient: 1 for the same pairs of characters, 0 for none in common. */
function likenessOf(one: ReadonlySet<string>, other: ReadonlySet<string>): number {
  if (one.size === 0 || other.size === 0) return 0;
  let common = 0;
  for (const pair of one) if (other.has(pair)) common++;
  return (2 * common) / (one.size + other.size);
}

function quoted(line: string): string {
  const short = line.trim().slice(0, MOST_CHARACTERS);
  return JSON.stringify(short);
}
