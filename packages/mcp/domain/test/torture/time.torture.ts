import { expect, it } from '@jest/globals';
import { SandboxPathRewriter } from '@cleveragents/mcp-domain';
import { ADVERSARIAL_BITS } from '../adversarial-bits.ts';

const SIZE = 250_000;
const rewriters = [
  new SandboxPathRewriter({ hostRoot: '/home/user/project', sandboxRoot: '/w' }),
  new SandboxPathRewriter({ hostRoot: '/w', sandboxRoot: '/' }),
  new SandboxPathRewriter({ hostRoot: '/w', sandboxRoot: 'C:\\w', windows: true }),
  new SandboxPathRewriter({ hostRoot: '\\\\w\\w\\w', sandboxRoot: '/w', windows: true }),
];

it.each(ADVERSARIAL_BITS)(
  'reads %j, many times over, once, however it begins and whatever the roots',
  (bit) => {
    const text = bit.repeat(SIZE / bit.length);
    for (const rewriter of rewriters)
      for (const begun of [text, `/w/${text}`, `file:///w/${text}`, `https://x${text}`, `[${text}`]) {
        expect(typeof rewriter.rewrite(begun, { to: 'host', text: true })).toBe('string');
        expect(typeof rewriter.rewrite(begun, { to: 'sandbox', text: true })).toBe('string');
        expect(typeof rewriter.rewrite(begun, { to: 'sandbox' })).toBe('string');
      }
  },
);
