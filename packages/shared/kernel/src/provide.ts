import type { Token } from './token.ts';

type TokensOf<Parameters extends readonly unknown[]> = {
  readonly [Index in keyof Parameters]: Token<Parameters[Index]>;
};

/** The part of inversify's `bind` that {@link provide} needs; the kernel itself knows no container. */
export type Bind = (token: symbol) => {
  toResolvedValue(
    factory: (...parameters: never[]) => unknown,
    tokens: symbol[],
  ): { inSingletonScope(): unknown };
};

/**
 * Binds `token`, once for the container, to what `factory` makes of the values behind `tokens`. The compiler checks each
 * token against the parameter that it fills, and the result against `token`.
 */
export function provide<Value, Parameters extends readonly unknown[]>(
  bind: Bind,
  token: Token<Value>,
  factory: (...parameters: Parameters) => Value,
  tokens: TokensOf<Parameters>,
): void {
  bind(token)
    .toResolvedValue(factory as (...parameters: never[]) => unknown, [...tokens] as symbol[])
    .inSingletonScope();
}
