import type { ChildProcess } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { readMemoryOfTree } from './memory-of-tree.ts';
import { PictureError } from './picture-error.ts';
import type { Sandbox, SandboxedProgram } from './sandbox.ts';

const MEMORY_INTERVAL_MS = 100;

export type DecoderOptions = {
  sandbox: Sandbox;
  program: SandboxedProgram;
  args?: readonly string[];
  folder: string;
  /** Resident memory of the process and all that it started. */
  maxRssBytes: number;
};

type Run = { input: string; maxOutputBytes: number; timeoutMs: number; signal: AbortSignal };

/** A process in a sandbox that decodes one file: it gets one input, gives one output, and ends. */
export class DecoderProcess {
  readonly #child: ChildProcess;
  readonly #ended: Promise<void>;
  readonly #maxRssBytes: number;
  #hasEnded = false;

  /** Starts the process. It waits for its input, so that it can be started before the file is known. */
  constructor({ sandbox, program, args = [], folder, maxRssBytes }: DecoderOptions) {
    this.#maxRssBytes = maxRssBytes;
    this.#child = sandbox.start({ program, args, folder });
    // A process that cannot be started at all ends like any other.
    this.#ended = new Promise((resolve) => {
      const end = () => {
        this.#hasEnded = true;
        resolve();
      };
      this.#child.once('exit', end).once('error', end);
    });
    this.#child.stdin?.on('error', () => {});
    this.#child.stdout?.on('error', () => {});
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  /**
   * Hands the input over and returns what the process wrote before it ended with exit code 0. Throws PictureError
   * `refused` for another exit code or too much output, `killed` when the process was killed or took too long, and the
   * signal's reason when that was aborted. The process is gone afterwards.
   */
  async run({ input, maxOutputBytes, timeoutMs, signal }: Run): Promise<Buffer> {
    const stop = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
    const watch = new AbortController();
    const kill = () => {
      killGroup(this.#child);
      // A process that left the group could keep the pipe open.
      this.#child.stdout?.destroy();
    };
    try {
      signal.throwIfAborted();
      stop.addEventListener('abort', kill);
      void this.#watchMemory(watch.signal);
      this.#child.stdin!.end(input);
      const output = await this.#read(maxOutputBytes);
      await this.#ended;
      signal.throwIfAborted();
      if (stop.aborted) throw new PictureError('killed', 'it took too long');
      if (output === undefined) throw new PictureError('refused', 'the picture is too large');
      if (this.#child.exitCode === 0) return output;
      if (this.#child.exitCode === null || this.#child.exitCode > 128)
        throw new PictureError('killed', 'the process ended early');
      throw new PictureError('refused', `exit code ${this.#child.exitCode}`);
    } finally {
      watch.abort();
      stop.removeEventListener('abort', kill);
      await this.kill();
    }
  }

  /** Ends it at once; resolves when it is gone. */
  async kill(): Promise<void> {
    if (!this.#hasEnded) killGroup(this.#child);
    await this.#ended;
    this.#child.stdin?.destroy();
    this.#child.stdout?.destroy();
  }

  /** Undefined after more than `maxBytes`; the process is killed then. */
  async #read(maxBytes: number): Promise<Buffer | undefined> {
    const blocks: Buffer[] = [];
    let length = 0;
    try {
      for await (const block of this.#child.stdout! as AsyncIterable<Buffer>) {
        length += block.length;
        if (length > maxBytes) return undefined;
        blocks.push(block);
      }
    } catch {
      // The pipe broke; the exit code says why.
    } finally {
      if (length > maxBytes) killGroup(this.#child);
    }
    return Buffer.concat(blocks);
  }

  /** From outside: a process that was taken over could stop a watchdog of its own. */
  async #watchMemory(until: AbortSignal): Promise<void> {
    const { pid } = this.#child;
    while (pid !== undefined && !until.aborted && !this.#hasEnded) {
      const bytes = await readMemoryOfTree(pid);
      if (bytes > this.#maxRssBytes && !this.#hasEnded) killGroup(this.#child);
      await sleep(MEMORY_INTERVAL_MS, undefined, { signal: until }).catch(() => {});
    }
  }
}

/** Kills a process that leads a group, with all of the group. */
export function killGroup({ pid }: Pick<ChildProcess, 'pid'>): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL');
  } catch {
    // It has ended.
  }
}
