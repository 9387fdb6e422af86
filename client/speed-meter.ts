const WINDOW_MS = 5_000;

type Sample = { at: number; bytes: number };

/** Average speed over the last five seconds, and the time left at that speed. */
export class SpeedMeter {
  #samples: Sample[] = [];

  /** `bytes`: the total so far; `at`: milliseconds. A smaller total (after a retry) restarts the measurement. */
  record(bytes: number, at: number): void {
    const last = this.#samples.at(-1);
    if (last && bytes < last.bytes) this.#samples = [];
    this.#samples.push({ at, bytes });
    while (this.#samples.length > 2 && this.#samples[1]!.at <= at - WINDOW_MS) this.#samples.shift();
  }

  reset(): void {
    this.#samples = [];
  }

  /** Bytes per second; undefined until a second has been measured. */
  get bytesPerSecond(): number | undefined {
    const [first, last] = [this.#samples[0], this.#samples.at(-1)];
    if (!first || !last || last.at - first.at < 1_000) return undefined;
    return ((last.bytes - first.bytes) * 1_000) / (last.at - first.at);
  }

  /** undefined while the speed is 0 or unknown. */
  secondsFor(remainingBytes: number): number | undefined {
    const speed = this.bytesPerSecond;
    return speed ? remainingBytes / speed : undefined;
  }
}
