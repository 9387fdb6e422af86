import { type ChildProcess, fork } from 'node:child_process';
import { realpathSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { MIB } from '../../../contracts/sizes.ts';
import type { PictureBox, RenderBounds, RenderOrder, RenderReply } from './child/protocol.ts';
import { PictureError } from './picture-error.ts';
import { lowerPriority } from './priority.ts';

const ROOT = join(import.meta.dirname, '../../..');
const SCRIPT = join(import.meta.dirname, 'child/main.ts');

const MAX_HEAP_MIB = 256;
const MAX_RSS_BYTES = 1024 * MIB;

/** What the process says is not believed either: a hostile file may have taken it over. */
const Reply = z.union([
  z.object({ pictures: z.array(z.object({ width: z.int().positive(), height: z.int().positive() })).max(8) }),
  z.object({ refusal: z.string().max(1_000) }),
]);

export type RenderProcessOptions = {
  /** The only folder it may write to and, beside the program itself, read from. */
  folder: string;
  /** The program; tests put one of their own in. */
  script?: string;
  maxRssBytes?: number;
};

type Run = { timeoutMs: number; signal: AbortSignal };

/**
 * One process that renders, one order at a time. It has a lower priority than the server, nothing of its
 * environment, and no right to start programs or to touch other files. It lives no longer than the server.
 */
export class RenderProcess {
  readonly #child: ChildProcess;
  readonly #ended: Promise<void>;
  #hasEnded = false;

  constructor({ folder, script = SCRIPT, maxRssBytes = MAX_RSS_BYTES }: RenderProcessOptions) {
    const bounds: RenderBounds = { parentPid: process.pid, maxRssBytes };
    this.#child = fork(script, [JSON.stringify(bounds)], {
      cwd: folder,
      env: { MALLOC_ARENA_MAX: '2', UV_THREADPOOL_SIZE: '2', TMPDIR: folder },
      execArgv: [`--max-old-space-size=${MAX_HEAP_MIB}`, '--no-warnings', ...listPermissions(folder, script)],
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
    // A process that cannot be started at all ends like any other.
    this.#ended = new Promise((resolve) => {
      const end = () => {
        this.#hasEnded = true;
        resolve();
      };
      this.#child.once('exit', end).on('error', end);
    });
    lowerPriority(this.#child.pid);
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  /**
   * Has pictures made; returns their sizes. Throws PictureError `refused` and, when the process ended or had
   * to be killed, `killed`; the signal's reason when that was aborted. After a throw but `refused` it is gone.
   */
  async run(order: RenderOrder, { timeoutMs, signal }: Run): Promise<PictureBox[]> {
    signal.throwIfAborted();
    const stop = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
    const reply = await this.#exchange(order, stop);
    signal.throwIfAborted();
    if (reply === undefined)
      throw new PictureError(
        'killed',
        stop.aborted ? 'it took too long' : 'the process ended, or went astray',
      );
    if ('refusal' in reply) throw new PictureError('refused', reply.refusal);
    return reply.pictures;
  }

  /** Ends it at once; resolves when it is gone. */
  async kill(): Promise<void> {
    this.#child.kill('SIGKILL');
    await this.#ended;
  }

  /** undefined when there will be no answer; the process has ended then. */
  async #exchange(order: RenderOrder, stop: AbortSignal): Promise<RenderReply | undefined> {
    const { promise: answered, resolve } = Promise.withResolvers<unknown>();
    const give = () => resolve(undefined);
    this.#child.once('message', resolve);
    stop.addEventListener('abort', give);
    try {
      this.#child.send(order, (error) => error && give());
      const { data, success } = Reply.safeParse(await Promise.race([answered, this.#ended]));
      if (success) return data;
      await this.kill();
      return undefined;
    } finally {
      this.#child.off('message', resolve);
      stop.removeEventListener('abort', give);
    }
  }
}

/** Node's permission model: of little use against the decoders' native code, of much against scripts in a PDF. */
function listPermissions(folder: string, script: string): string[] {
  const modules = realpathSync(fileURLToPath(import.meta.resolve('sharp'))).split('/node_modules/')[0]!;
  const readable = [
    join(import.meta.dirname, '*'),
    join(ROOT, 'package.json'),
    join(modules, 'node_modules/*'),
    join(ROOT, 'node_modules/*'),
    script,
    join(folder, '*'),
  ];
  return [
    '--permission',
    '--allow-addons',
    '--allow-worker',
    ...readable.map((path) => `--allow-fs-read=${path}`),
    `--allow-fs-write=${join(folder, '*')}`,
  ];
}
