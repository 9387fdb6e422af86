type Running = { requests: number; reachedEnd: boolean };

/**
 * Which counted downloads this process is sending. A browser may fetch one download in several ranges at
 * once: it is complete when its last byte has been sent and none of its requests runs any more.
 */
export class RunningDownloads {
  readonly #running = new Map<string, Running>();

  begin(downloadId: string): void {
    const running = this.#running.get(downloadId) ?? { requests: 0, reachedEnd: false };
    running.requests += 1;
    this.#running.set(downloadId, running);
  }

  /** Ends one request; `reachedEnd`: it sent the download's last byte. Returns whether all is complete now. */
  end(downloadId: string, { reachedEnd }: { reachedEnd: boolean }): boolean {
    const running = this.#running.get(downloadId);
    if (!running) return false;
    running.requests -= 1;
    running.reachedEnd ||= reachedEnd;
    if (running.requests > 0) return false;
    this.#running.delete(downloadId);
    return running.reachedEnd;
  }
}
