import { expect, it } from '@jest/globals';
import { SandboxPathRewriter } from '@cleveragents/mcp-domain';
import { ADVERSARIAL_BITS } from './adversarial-bits.ts';

const rewriter = new SandboxPathRewriter({ hostRoot: '/home/user/project', sandboxRoot: '/w' });

/** Read twice over for each part, any of these would take minutes, and the test runner's own limit would end it. */
it.each(ADVERSARIAL_BITS)('reads a megabyte of %j once', (bit) => {
  const text = bit.repeat(1_000_000 / bit.length);
  expect(rewriter.rewriteText(text, { to: 'host' }).length).toBeGreaterThanOrEqual(text.length);
});

it('reads a megabyte of a path, and of a URI, once', () => {
  for (const path of ['/w/', 'file:///w/'])
    for (const bit of ['/', '../', 'a/../', '%2e%2e/', '%', 'a b', '\\'])
      expect(typeof rewriter.rewrite(path + bit.repeat(1_000_000 / bit.length), { to: 'host' })).toBe(
        'string',
      );
});
