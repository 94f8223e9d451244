import type { ToolSchema } from '@cleveragents/mcp-ports';
import { ValidationError } from '@cleveragents/shared-kernel';

export type ToolInput = Readonly<Record<string, unknown>>;
type Schema = Readonly<Record<string, unknown>>;

/** The schema of an object with these fields and no others. */
export function schemaOf(
  properties: Readonly<Record<string, Schema>>,
  required: readonly string[] = [],
): ToolSchema {
  return { type: 'object', properties, required, additionalProperties: false };
}

/** The schema of an output, of which more may be said one day. */
export function outputOf(properties: Readonly<Record<string, Schema>>): ToolSchema {
  return { type: 'object', properties, required: Object.keys(properties) };
}

/** @throws ValidationError for fields that are not asked for: a misspelt one would be passed over. */
export function refuseOthers(input: ToolInput, known: readonly string[]): void {
  for (const name of Object.keys(input))
    if (!known.includes(name))
      throw new ValidationError(`${JSON.stringify(name)} is no field of this tool`, {
        hint: known.length === 0 ? 'It takes none.' : `It takes: ${known.join(', ')}.`,
      });
}

/** @throws ValidationError */
export function textOf(input: ToolInput, name: string): string | undefined {
  const value = input[name];
  if (value === undefined || (typeof value === 'string' && value.length > 0)) return value;
  throw new ValidationError(`${name} must be a string that is not empty`);
}

/** @throws ValidationError */
export function requiredTextOf(input: ToolInput, name: string): string {
  const value = textOf(input, name);
  if (value === undefined) throw new ValidationError(`${name} is missing`);
  return value;
}

/** @throws ValidationError */
export function countOf(input: ToolInput, name: string): number | undefined {
  const value = input[name];
  if (value === undefined || (Number.isSafeInteger(value) && (value as number) >= 0))
    return value as number | undefined;
  throw new ValidationError(`${name} must be a whole number from 0 on`);
}

/** @throws ValidationError */
export function flagOf(input: ToolInput, name: string): boolean {
  const value = input[name] ?? false;
  if (typeof value === 'boolean') return value;
  throw new ValidationError(`${name} must be true or false`);
}

/** @throws ValidationError */
export function textsOf(input: ToolInput, name: string): readonly string[] | undefined {
  const value = input[name];
  if (value === undefined) return undefined;
  if (Array.isArray(value) && value.length > 0 && value.every((item) => typeof item === 'string'))
    return value;
  throw new ValidationError(`${name} must be a list of strings that is not empty`);
}
