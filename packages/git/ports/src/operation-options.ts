/** How far a long operation is: `done` of `total` files, in the phase named. Called at most some ten times a second. */
export interface Progress {
  readonly phase: 'clone' | 'scan' | 'merge' | 'apply' | 'restore' | 'remove';
  readonly done: number;
  /** Null while nobody knows yet. */
  readonly total: number | null;
}

export interface OperationOptions {
  /** Aborting ends the operation with `GIT_ABORTED`, after what it began is undone. */
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((progress: Progress) => void) | undefined;
}
