declare const provides: unique symbol;

/** Names a port in a container; the type travels with it, so that a binding can be checked against what asks for it. */
export type Token<T> = symbol & { readonly [provides]?: T };

/** @param name of the port, with its package: `@cleveragents/sandbox-ports/PlanRepository`. */
export function token<T>(name: string): Token<T> {
  return Symbol.for(name);
}
