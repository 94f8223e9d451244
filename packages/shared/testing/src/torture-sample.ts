/** `CLEVERAGENTS_TORTURE=full` strikes every call, which takes up to an hour; otherwise so many of each kind. */
export const TORTURE_SAMPLE: { readonly sample?: number } =
  process.env['CLEVERAGENTS_TORTURE'] === 'full' ? {} : { sample: 15 };
