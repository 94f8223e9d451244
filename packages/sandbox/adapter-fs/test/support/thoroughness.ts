/** `CLEVERAGENTS_TORTURE=full` strikes every call, which takes many minutes; otherwise so many of each kind. */
export const SAMPLE: { readonly sample?: number } =
  process.env['CLEVERAGENTS_TORTURE'] === 'full' ? {} : { sample: 15 };
