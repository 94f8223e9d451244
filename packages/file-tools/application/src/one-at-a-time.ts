/** Runs pieces of work one after the other, in the order of the calls; one that fails holds up nothing. */
export class OneAtATime {
  #last: Promise<unknown> = Promise.resolve();

  run<Result>(work: () => Promise<Result>): Promise<Result> {
    const result = this.#last.then(work, work);
    this.#last = result.catch(() => undefined);
    return result;
  }
}
