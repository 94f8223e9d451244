/** `CLEVERAGENTS_TORTURE=full` strikes every call, which takes an hour; otherwise so many of each kind. */
export const SAMPLE: { readonly sample?: number } =
  process.env['CLEVERAGENTS_TORTURE'] === 'full' ? {} : { sample: 15 };
