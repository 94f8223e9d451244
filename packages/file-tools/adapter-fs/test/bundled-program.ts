// Bundled and run by bundled.test.ts: prints where `needle` is found below its argument, as literal and as expression.
import { openFileTools } from '@cleveragents/file-tools-adapter-fs';

const { files, searcher } = await openFileTools(process.argv[2] ?? '.');
for (const literal of [true, false]) {
  const query = { directory: '.', pattern: 'needle', literal, context: 0, maxResults: 9 };
  const { matches } = await searcher.search(query, files);
  console.log(matches.map(({ path }) => path).join());
}
