import type { KeepsField } from './content-rules.ts';
import { McpPathError } from './mcp-path.errors.ts';

/** Deeper values are not looked into (R1). */
export const MAX_DEPTH = 200;

export interface CopyRules {
  readonly string: (text: string) => string;
  /** Absent: keys stay. */
  readonly key?: ((key: string) => string) | undefined;
  readonly keeps: KeepsField;
  /** What becomes of the strings in a field that is kept. Default: they stay. */
  readonly kept?: ((text: string) => string) | undefined;
}

const keepsNothing: KeepsField = () => false;
const asItIs: CopyRules = { string: (text) => text, keeps: keepsNothing };

/**
 * A deep copy with every string rewritten, and nothing else (R1). What JSON has no form for is passed on, not copied.
 * @throws McpPathError `MCP_PATH_TOO_DEEP`, `MCP_PATH_KEY_COLLISION`.
 */
export function rewrittenCopy(value: unknown, rules: CopyRules, depth = 0): unknown {
  if (typeof value === 'string') return rules.string(value);
  if (typeof value !== 'object' || value === null) return value;
  refuseBelow(depth);
  if (Array.isArray(value)) return value.map((item: unknown) => rewrittenCopy(item, rules, depth + 1));
  return isRecord(value) ? copyRecord(value, rules, depth) : value;
}

/** @throws McpPathError `MCP_PATH_TOO_DEEP` for a value that lies as deep as nothing may. */
export function refuseBelow(depth: number): void {
  if (depth < MAX_DEPTH) return;
  throw new McpPathError('MCP_PATH_TOO_DEEP', `A value is nested more than ${MAX_DEPTH} levels deep`, {
    hint: 'Check that it does not contain itself.',
    data: { maxDepth: MAX_DEPTH },
  });
}

export function plainCopy(value: unknown): unknown {
  return rewrittenCopy(value, asItIs);
}

/** Also of another realm, whose `Object.prototype` is not ours. */
function isRecord(value: object): value is Record<string, unknown> {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

function copyRecord(
  record: Record<string, unknown>,
  rules: CopyRules,
  depth: number,
): Record<string, unknown> {
  const copy: Record<string, unknown> = {};
  const forKept = rules.kept === undefined ? asItIs : { string: rules.kept, keeps: keepsNothing };
  for (const key of Object.keys(record)) {
    const keeps = rules.keeps(key, record);
    const value = rewrittenCopy(record[key], keeps ? forKept : rules, depth + 1);
    const name = rules.key === undefined ? key : rules.key(key);
    if (name !== key && (Object.hasOwn(record, name) || Object.hasOwn(copy, name)))
      throw collision(key, name);
    if (name === '__proto__') setOwn(copy, name, value);
    else copy[name] = value;
  }
  return copy;
}

/** Assigning `__proto__` would set the prototype. */
function setOwn(record: Record<string, unknown>, key: string, value: unknown): void {
  Object.defineProperty(record, key, { value, enumerable: true, configurable: true, writable: true });
}

function collision(key: string, name: string): McpPathError {
  return new McpPathError('MCP_PATH_KEY_COLLISION', `Two keys would both become ${JSON.stringify(name)}`, {
    hint: 'Rewrite without `keys`, or give the object one name for each file.',
    data: { key, name },
  });
}
