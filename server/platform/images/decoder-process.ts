import { type ChildProcess, execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { KIB, MIB } from '../../../contracts/values/sizes.ts';
import { FILE_NAME, type PictureBox } from './child/protocol.ts';
import { PictureError } from './picture-error.ts';
import type { Sandbox, SandboxedProgram } from './sandbox.ts';

const MEMORY_INTERVAL_MS = 100;

type DecoderOptions = {
  sandbox: Sandbox;
  program: SandboxedProgram;
  args?: readonly string[];
  folder: string;
  /** Includes descendants. */
  maxRssBytes: number;
};

type Run = { input: string; maxOutputBytes: number; timeoutMs: number; signal: AbortSignal };

export class DecoderProcess {
  readonly #child: ChildProcess;
  readonly #ended: Promise<void>;
  readonly #maxRssBytes: number;
  #hasEnded = false;

  /** The process waits for its input, so it can be started before the file is known. */
  constructor({ sandbox, program, args = [], folder, maxRssBytes }: DecoderOptions) {
    this.#maxRssBytes = maxRssBytes;
    this.#child = sandbox.start({ program, args, folder });
    // A process that fails to start counts as ended.
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
   * Throws PictureError `refused` for an exit code other than 0 or too much output, `killed` when the process
   * was killed or timed out, and the signal's reason. The process has ended afterwards.
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

  async kill(): Promise<void> {
    if (!this.#hasEnded) killGroup(this.#child);
    await this.#ended;
    this.#child.stdin?.destroy();
    this.#child.stdout?.destroy();
  }

  /** Kills the process after more than `maxBytes` and returns undefined. */
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

  /** From outside, because a compromised process could stop its own watchdog. */
  async #watchMemory(until: AbortSignal): Promise<void> {
    const { pid } = this.#child;
    while (pid !== undefined && !until.aborted && !this.#hasEnded) {
      const bytes = await readMemoryOfTree(pid);
      if (bytes > this.#maxRssBytes && !this.#hasEnded) killGroup(this.#child);
      await sleep(MEMORY_INTERVAL_MS, undefined, { signal: until }).catch(() => {});
    }
  }
}

export function killGroup({ pid }: Pick<ChildProcess, 'pid'>): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL');
  } catch {
    // It has ended.
  }
}

const MAX_FRAME_BYTES = 64 * MIB;

type VideoInput = {
  sandbox: Sandbox;
  ffmpeg: string;
  folder: string;
  box: PictureBox;
  maxRssBytes: number;
  timeoutMs: number;
  signal: AbortSignal;
};

/**
 * A frame of the first seconds as PNG. ffmpeg may read only this file. Throws what `DecoderProcess.run`
 * throws.
 */
export async function renderVideoFrame(video: VideoInput): Promise<Buffer> {
  const { sandbox, ffmpeg, folder, box, maxRssBytes, timeoutMs, signal } = video;
  const scale = `scale=w=min(iw\\,${box.width}):h=min(ih\\,${box.height}):force_original_aspect_ratio=decrease`;
  const args = [
    ...['-nostdin', '-hide_banner', '-loglevel', 'error', '-threads', '1'],
    ...['-protocol_whitelist', 'file', '-format_whitelist', 'mov,mp4,m4a,3gp,3g2,mj2,matroska,webm,ogg'],
    ...['-max_pixels', '50000000', '-t', '10', '-i', `file:${FILE_NAME}`],
    ...['-an', '-sn', '-dn', '-filter_threads', '1', '-vf', `thumbnail=24,${scale}`],
    ...['-frames:v', '1', '-f', 'image2pipe', '-c:v', 'png', 'pipe:1'],
  ];
  const decoder = new DecoderProcess({ sandbox, program: { executable: ffmpeg }, args, folder, maxRssBytes });
  return decoder.run({ input: '', maxOutputBytes: MAX_FRAME_BYTES, timeoutMs, signal });
}

const isLinux = process.platform === 'linux';
const PAGE_BYTES = 4 * KIB;
/** More than any sandbox needs. */
const MAX_PROCESSES = 64;

async function readMemoryOfTree(pid: number): Promise<number> {
  if (!isLinux) return readByPs(pid);
  const tree = await listProcessTree(pid);
  const texts = await Promise.all(tree.map((member) => readText(`/proc/${member}/statm`)));
  return texts.reduce((sum, text) => sum + Number(text.split(' ')[1] ?? 0) * PAGE_BYTES, 0);
}

/** Linux only. Omits processes started by threads other than the main one. */
export async function listProcessTree(pid: number): Promise<number[]> {
  const found = [pid];
  for (let next = 0; next < found.length && next < MAX_PROCESSES; next += 1) {
    const text = await readText(`/proc/${found[next]}/task/${found[next]}/children`);
    found.push(...text.split(' ').filter(Boolean).map(Number));
  }
  return found;
}

function readText(path: string): Promise<string> {
  return readFile(path, 'utf8').catch(() => '');
}

async function readByPs(pid: number): Promise<number> {
  const result = await promisify(execFile)('/bin/ps', ['-o', 'rss=', '-p', String(pid)]).catch(
    () => undefined,
  );
  return Number(result?.stdout.trim() ?? 0) * KIB;
}
