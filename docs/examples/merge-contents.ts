import { mergeContents } from '@cleveragents/git-domain';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const text = (content: Uint8Array): string => new TextDecoder().decode(content);

const merge = mergeContents(
  bytes('one\ntwo\nthree\nfour\nfive\n'),
  bytes('ONE\ntwo\nthree\nfour\nfive\n'),
  bytes('one\ntwo\nthree\nfour\nFIVE\n'),
  { labels: { ours: 'main', theirs: 'cleveragents/plan-42' } },
);
if (merge.kind === 'clean') console.log(text(merge.bytes)); // ONE, two, three, four, FIVE: what git merge would write
