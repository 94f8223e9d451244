import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { isUlid, parsePlanId, planKey, sha256Hex } from '@cleveragents/shared-kernel';

describe('a plan id', () => {
  it('is any non-empty string', () => {
    expect(parsePlanId(' ')).toBe(' ');
    expect(() => parsePlanId('')).toThrow('plan_id cannot be empty');
  });
});

describe('a plan key', () => {
  it('is safe as a file name and as a ref component for every plan id', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1, unit: 'binary' }), (raw) => {
        expect(planKey(parsePlanId(raw))).toMatch(/^[a-z0-9][a-z0-9-]{0,39}-[0-9a-f]{12}$/);
      }),
    );
  });

  it('differs for ids that look alike', () => {
    const keys = ['a b', 'a-b', 'A-B', 'a/b', 'a..b', '🙂', '🙃'].map((id) => planKey(parsePlanId(id)));
    expect(new Set(keys).size).toBe(keys.length);
  });

  it('keeps what a person would recognise', () => {
    expect(planKey(parsePlanId('Fix the Parser!'))).toMatch(/^fix-the-parser-[0-9a-f]{12}$/);
  });
});

describe('sha256Hex', () => {
  it('gives the digest that sha256sum gives', () => {
    expect(sha256Hex('abc')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
  });
});

describe('a ULID', () => {
  it('is 26 characters of Crockford base 32 that fit in 128 bits', () => {
    expect(isUlid('01ARZ3NDEKTSV4RRFFQ69G5FAV')).toBe(true);
    for (const bad of [
      '',
      '81ARZ3NDEKTSV4RRFFQ69G5FAV',
      '01ARZ3NDEKTSV4RRFFQ69G5FAI',
      '01arz3ndektsv4rrffq69g5fav',
    ])
      expect(isUlid(bad)).toBe(false);
  });
});
