import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import type { Brand } from './brand.ts';
import { ValidationError } from './coded-error.ts';

/** A plan's name: any non-empty string that its caller chose. Never used as a file name or a ref; see {@link planKey}. */
export type PlanId = Brand<string, 'PlanId'>;

/** @throws ValidationError `plan_id cannot be empty`. */
export function parsePlanId(raw: string): PlanId {
  if (typeof raw !== 'string' || raw === '') throw new ValidationError('plan_id cannot be empty');
  return raw as PlanId;
}

/** Names a plan's files, folders and refs: `<slug>-<12 hex>`, only `[a-z0-9-]`, at most 53 characters. */
export type PlanKey = Brand<string, 'PlanKey'>;

/**
 * Safe on every file system, also those that ignore case: the slug is for people to recognise, the hash tells apart
 * what the slug does not.
 */
export function planKey(planId: PlanId): PlanKey {
  const slug = planId
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, 40)
    .replace(/^-+|-+$/g, '');
  return `${slug === '' ? 'plan' : slug}-${sha256Hex(planId).slice(0, 12)}` as PlanKey;
}

/** SHA-256 of the UTF-8 bytes of `text`, 64 lower-case hex digits. Lone surrogates count as U+FFFD. */
export function sha256Hex(text: string): string {
  return bytesToHex(sha256(utf8ToBytes(text)));
}

/** 26 characters of Crockford's base 32, the first at most 7: https://github.com/ulid/spec. */
export type Ulid = Brand<string, 'Ulid'>;

export function isUlid(value: string): value is Ulid {
  return /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/.test(value);
}
