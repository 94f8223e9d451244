import { expect, it } from '@jest/globals';
import { SandboxPathRewriter } from '@cleveragents/mcp-domain';
import { ADVERSARIAL_BITS } from './adversarial-bits.ts';

const rewriter = new SandboxPathRewriter({ hostRoot: '/home/user/project', sandboxRoot: '/w' });

/** Read once more for each part, any of these would take minutes. */
it.each(['/', '"', "'", '\\', ':', '://', '=/w'])('reads a megabyte of %j once', (bit) => {
  const text = bit.repeat(1_000_000 / bit.length);
  expect(rewriter.rewriteText(text, { to: 'host' }).length).toBeGreaterThanOrEqual(text.length);
});

it.each(ADVERSARIAL_BITS)('reads %j, many times over, once', (bit) => {
  const text = bit.repeat(200_000 / bit.length);
  expect(rewriter.rewriteText(text, { to: 'host' }).length).toBeGreaterThanOrEqual(text.length);
});

it.each(['/w/', 'file:///w/'])('reads a long path that begins with %s once', (path) => {
  for (const bit of ['/', '../', 'a/../', '%2e%2e/', '%', 'a b', '\\'])
    expect(typeof rewriter.rewrite(path + bit.repeat(200_000 / bit.length), { to: 'host' })).toBe('string');
});
