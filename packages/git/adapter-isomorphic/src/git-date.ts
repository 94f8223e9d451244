import type { Signature } from '@cleveragents/git-domain';

export type GitInstant = Pick<Signature, 'timestampSeconds' | 'offsetMinutes'>;

const LARGEST = 2 ** 53 - 1;

/**
 * The forms of `GIT_AUTHOR_DATE` that git's documentation names: its own (`@1700000000 +0100`, the `@` may be left out
 * from nine digits on), RFC 2822 and ISO 8601. Without a zone the time is local. Null for anything else.
 */
export function parseGitDate(text: string): GitInstant | null {
  const trimmed = text.trim();
  const own = /^(?:@(\d+)|(\d{9,}))(?:\s+([+-]\d{4}))?$/.exec(trimmed);
  if (own) return instant(Number(own[1] ?? own[2]), own[3] === undefined ? 0 : offsetOf(own[3]));
  return parseIso(trimmed) ?? parseRfc2822(trimmed);
}

function parseIso(text: string): GitInstant | null {
  const match =
    /^(\d{4})[-./](\d{2})[-./](\d{2})[T ](\d{2}):(\d{2})(?::(\d{2})(?:\.\d+)?)?\s*(Z|[+-]\d{2}:?\d{2}|[+-]\d{2})?$/.exec(
      text,
    );
  if (!match) return null;
  const [, year, month, day, hour, minute, second = '0', zone] = match;
  const fields = [year, month, day, hour, minute, second].map(Number);
  return fromFields(fields as Fields, zone);
}

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];

function parseRfc2822(text: string): GitInstant | null {
  const match =
    /^(?:[A-Za-z]{3,9},?\s+)?(\d{1,2})\s+([A-Za-z]{3})[a-z]*\s+(\d{4})\s+(\d{2}):(\d{2}):(\d{2})\s+([+-]\d{4}|GMT|UTC|Z)$/.exec(
      text,
    );
  if (!match) return null;
  const [, day, monthName = '', year, hour, minute, second, zone] = match;
  const month = MONTHS.indexOf(monthName.toLowerCase()) + 1;
  if (month === 0) return null;
  const fields = [year, month, day, hour, minute, second].map(Number);
  return fromFields(fields as Fields, zone === 'GMT' || zone === 'UTC' ? 'Z' : zone);
}

type Fields = [year: number, month: number, day: number, hour: number, minute: number, second: number];

function fromFields(
  [year, month, day, hour, minute, second]: Fields,
  zone: string | undefined,
): GitInstant | null {
  if (month < 1 || month > 12 || day < 1 || day > 31 || hour > 23 || minute > 59 || second > 60) return null;
  if (zone === undefined) {
    const local = new Date(year, month - 1, day, hour, minute, second);
    return instant(Math.floor(local.getTime() / 1000), -local.getTimezoneOffset() || 0);
  }
  const offsetMinutes = zone === 'Z' ? 0 : offsetOf(zone);
  const utc = Date.UTC(year, month - 1, day, hour, minute, second) / 1000;
  return instant(utc - offsetMinutes * 60, offsetMinutes);
}

function instant(timestampSeconds: number, offsetMinutes: number): GitInstant | null {
  if (timestampSeconds < 0 || timestampSeconds > LARGEST) return null;
  return { timestampSeconds, offsetMinutes };
}

/** `+0130`, `+01:30` or `+01`, in minutes. */
function offsetOf(zone: string): number {
  const digits = zone.slice(1).replace(':', '').padEnd(4, '0');
  const minutes = Number(digits.slice(0, 2)) * 60 + Number(digits.slice(2));
  return zone.startsWith('-') ? -minutes || 0 : minutes;
}
