/**
 * One sync for all who wait. Who comes while a sync runs joins the next one: the running one may have
 * passed that caller's bytes already.
 */
export class SharedSync {
  readonly #sync: () => Promise<void>;
  #running: Promise<void> | undefined;
  #next: Promise<void> | undefined;

  constructor(sync: () => Promise<void>) {
    this.#sync = sync;
  }

  /** Resolves when a sync that began after this call has ended. A failed sync fails all who joined it. */
  join(): Promise<void> {
    if (this.#next) return this.#next;
    if (!this.#running) return this.#start();
    this.#next = this.#running.then(
      () => this.#start(),
      () => this.#start(),
    );
    return this.#next;
  }

  #start(): Promise<void> {
    this.#next = undefined;
    const running = this.#sync().finally(() => {
      if (this.#running === running) this.#running = undefined;
    });
    this.#running = running;
    return running;
  }
}
