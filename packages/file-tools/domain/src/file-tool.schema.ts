import * as z from 'zod';

const path = z
  .string()
  .min(1)
  .max(4096)
  .describe('Relative to the root, with "/" between names. Absolute paths and ways out are refused.');
const encoding = z
  .string()
  .max(40)
  .default('utf-8')
  .describe('utf-8, utf-8-bom, latin-1, ascii, utf-16le, utf-16be, or base64 for bytes.');
const sha256 = z.string().regex(/^[0-9a-f]{64}$/);
const expectedSha256 = sha256
  .optional()
  .describe('Refuse unless the file now has exactly this SHA-256, as a read reported it.');
const glob = z.string().min(1).max(1000);
const natural = z.int().min(0);

export const fileReadInput = z.strictObject({
  path,
  encoding,
  offset: natural.optional().describe('Lines to leave out at the beginning.'),
  limit: z.int().min(1).max(1_000_000).optional().describe('Lines to read.'),
});
export const fileReadOutput = z.object({
  content: z.string(),
  encoding: z.string(),
  size: natural.describe('Of the file, in bytes.'),
  total_lines: natural.optional().describe('Absent where the file is too large to be read to its end.'),
  truncated: z.boolean().describe('Whether lines follow.'),
  next_offset: natural.optional().describe('The offset of the lines that follow.'),
  sha256: sha256.optional().describe('Of the file; absent when only a part was asked for.'),
});

export const fileWriteInput = z.strictObject({
  path,
  content: z.string(),
  encoding,
  expected_sha256: expectedSha256,
});
export const fileWriteOutput = z.object({ created: z.boolean(), size: natural, sha256 });

export const fileEditInput = z.strictObject({
  path,
  old_text: z.string().min(1).describe('Exactly as it is in the file. Line feeds also match CR LF.'),
  new_text: z.string().describe('Written literally.'),
  replace_all: z.boolean().default(false).describe('Otherwise only the first occurrence.'),
  encoding,
  expected_sha256: expectedSha256,
});
export const fileEditOutput = z.object({ replacements: natural, occurrences: natural, sha256 });

export const fileDeleteInput = z.strictObject({ path });
export const fileDeleteOutput = z.object({ existed: z.boolean() });

export const fileListInput = z.strictObject({
  path,
  pattern: glob
    .optional()
    .describe('A glob: only files that match. Without "/" it is matched with the name alone.'),
  recursive: z.boolean().default(false),
  respect_gitignore: z.boolean().default(false).describe('Leave out what .gitignore files name.'),
  limit: z.int().min(1).max(100_000).default(5000),
});
export const fileListOutput = z.object({
  files: z.array(
    z.object({ path: z.string(), type: z.enum(['file', 'directory', 'link', 'other']), size: natural }),
  ),
  truncated: z.boolean(),
});

export const fileSearchInput = z.strictObject({
  path: path.describe('The directory to search, relative to the root.'),
  pattern: z
    .string()
    .min(1)
    .max(10_000)
    .describe('A JavaScript regular expression, matched with each line by itself; or literal text.'),
  max_results: z.int().min(1).max(10_000).default(100),
  literal: z.boolean().default(false).describe('Take the pattern for plain text.'),
  include: glob.optional().describe('A glob: search only files that match.'),
  context: z.int().min(0).max(20).default(0).describe('Lines to show before and after each match.'),
});
export const fileSearchOutput = z.object({
  matches: z.array(
    z.object({
      path: z.string(),
      line: natural.describe('From 1.'),
      column: natural.describe('From 1, in UTF-16 code units.'),
      text: z.string().describe('The line; of a very long one the part around the match.'),
      before: z.array(z.string()).optional(),
      after: z.array(z.string()).optional(),
    }),
  ),
  truncated: z.boolean(),
  skipped: natural.describe('Files left out because they are binary, too large or unreadable.'),
});

export type FileReadInput = z.output<typeof fileReadInput>;
export type FileReadOutput = z.infer<typeof fileReadOutput>;
export type FileWriteInput = z.output<typeof fileWriteInput>;
export type FileEditInput = z.output<typeof fileEditInput>;
export type FileListInput = z.output<typeof fileListInput>;
export type FileListOutput = z.infer<typeof fileListOutput>;
export type FileSearchInput = z.output<typeof fileSearchInput>;
export type FileSearchOutput = z.infer<typeof fileSearchOutput>;
