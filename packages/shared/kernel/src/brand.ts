declare const brand: unique symbol;

/** A `Base` that went through the one parser that may make it: two brands of one base are not assignable to each other. */
export type Brand<Base, Name extends string> = Base & { readonly [brand]: Name };
