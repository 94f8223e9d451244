/** The oldest git that has `merge-tree --write-tree`. */
export const NATIVE_ENGINE_MINIMUM_VERSION = '2.38.0';
