import { chmod, mkdir, mkdtemp, open, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { KIB, MIB } from '../../../contracts/values/sizes.ts';
import { AppError } from '../lib/app-error.ts';
import { FairQueue } from '../lib/concurrency/fair-queue.ts';
import {
  FILE_NAME,
  findOuterBox,
  type PageRange,
  type PictureBox,
  type RenderOrder,
} from './child/protocol.ts';
import { DecoderProcess, renderVideoFrame } from './decoder-process.ts';
import { findSandbox, type SandboxSearch } from './find-sandbox.ts';
import { PictureError } from './picture-error.ts';
import { findProgram, type Sandbox, type SandboxMethod } from './sandbox.ts';
import { type Content, SNIFFED_BYTES, sniffContent } from './sniff.ts';

export type RenderRequest = {
  owner: string;
  bytes: AsyncIterable<Uint8Array>;
  /** Other kinds are refused as `unsupported`. */
  kinds: readonly ('image' | 'pdf' | 'video')[];
  boxes: readonly PictureBox[];
  /** By default only the first frame. */
  animated?: boolean;
  signal?: AbortSignal;
};

export type Picture = PictureBox & { bytes: Buffer };

export type PagesRequest = Pick<RenderRequest, 'owner' | 'bytes' | 'signal'> & {
  box: PictureBox;
  pages: PageRange;
};

type Rendered = { pictures: Picture[]; pageCount?: number | undefined };

export type RendererOptions = {
  /** Emptied on opening, removed on closing. */
  folder: string;
  /** Hidden from decoders even below a system folder such as /usr/lib. */
  hiddenFolders?: readonly string[];
  /** For tests. */
  script?: string;
  timeoutMs?: number;
  maxRssBytes?: number;
  ffmpeg?: string;
  methods?: readonly SandboxMethod[];
};

const TIMEOUT_MS = 30_000;
const MAX_RSS_BYTES = 1024 * MIB;
const IDLE_MS = 30_000;
const MAX_OUTPUT_BYTES = 64 * MIB;
const MAX_HEADER_BYTES = 4 * KIB;
const NEVER = new AbortController().signal;

/** Uploads keep a request open while they wait, so few may wait. */
const QUEUE = { places: 1, lanes: { pictures: { places: 1 } }, maxWaiting: 200, maxWaitingPerTag: 10 };

const SCRIPT = join(import.meta.dirname, 'child/main.ts');

/** A hostile file may have compromised the process, so validate its reply. */
const Reply = z.union([
  z.object({
    pictures: z
      .array(
        z.object({ width: z.int().positive(), height: z.int().positive(), sizeBytes: z.int().positive() }),
      )
      .max(8),
    pageCount: z.int().positive().optional(),
  }),
  z.object({ refusal: z.string().max(1_000), tooMuchMotion: z.boolean().optional() }),
]);

/** No process starts before the first picture is requested. */
export async function openRenderer(options: RendererOptions): Promise<Renderer> {
  await rm(options.folder, { recursive: true, force: true });
  return new Renderer(options);
}

type Job = { folder: string; decoder: DecoderProcess };

/**
 * Renders possibly hostile files one at a time, with owners taking turns. Each file gets its own folder and
 * sandboxed process; the next process is started in advance.
 */
export class Renderer {
  readonly #options: RendererOptions;
  readonly #ffmpeg: string | undefined;
  readonly #closing = new AbortController();
  readonly #queue = new FairQueue(QUEUE);
  readonly #renderings = new Set<Promise<unknown>>();
  #search: Promise<SandboxSearch> | undefined;
  #hasSandbox = false;
  #current: DecoderProcess | undefined;
  #spare: Job | undefined;
  #idle: NodeJS.Timeout | undefined;

  constructor(options: RendererOptions) {
    this.#options = options;
    this.#ffmpeg = options.ffmpeg ?? findProgram('ffmpeg');
  }

  get pid(): number | undefined {
    return this.#current?.hasEnded === false ? this.#current.pid : undefined;
  }

  canRender({ kind }: Pick<Content, 'kind'>): boolean {
    return kind === 'image' || kind === 'pdf' || (kind === 'video' && this.#ffmpeg !== undefined);
  }

  /** Repeated until a sandbox is found. */
  findSandbox(): Promise<SandboxSearch> {
    this.#search ??= this.#searchSandbox().finally(() => {
      if (!this.#hasSandbox) this.#search = undefined;
    });
    return this.#search;
  }

  async #searchSandbox(): Promise<SandboxSearch> {
    const { folder, hiddenFolders = [], methods } = this.#options;
    const mountPoint = join(folder, 'root');
    await mkdir(mountPoint, { recursive: true, mode: 0o700 });
    const search = await findSandbox({
      folder: join(folder, 'search'),
      hiddenFolders: [join(import.meta.dirname, '../../..'), ...hiddenFolders],
      mountPoint,
      ...(methods && { methods }),
      signal: this.#closing.signal,
    });
    this.#hasSandbox = search.sandbox !== undefined;
    return search;
  }

  /**
   * Throws PictureError, AppError `unavailable` when too many are waiting or no sandbox works, the signal's
   * reason, and I/O errors.
   */
  async render(request: RenderRequest): Promise<Picture[]> {
    const { pictures } = await this.#enqueue(request);
    if (pictures.length !== request.boxes.length) throw new PictureError('refused', 'pictures are missing');
    return pictures;
  }

  /** Pages of a PDF; fewer than requested at its end. Throws like `render`. */
  async renderPages({ box, ...request }: PagesRequest): Promise<{ pages: Picture[]; pageCount: number }> {
    const { pictures, pageCount = 0 } = await this.#enqueue({ ...request, kinds: ['pdf'], boxes: [box] });
    const { first, count } = request.pages;
    const expected = Math.max(0, Math.min(count, pageCount - first + 1));
    if (pictures.length !== expected) throw new PictureError('refused', 'pages are missing');
    return { pages: pictures, pageCount };
  }

  #enqueue(request: Order): Promise<Rendered> {
    const signal = AbortSignal.any([request.signal ?? NEVER, this.#closing.signal]);
    const rendering = this.#queue.run({ lane: 'pictures', tags: [request.owner] }, () =>
      this.#render(request, signal),
    );
    this.#renderings.add(rendering);
    const forget = () => this.#renderings.delete(rendering);
    rendering.then(forget, forget);
    return rendering;
  }

  async close(): Promise<void> {
    this.#closing.abort();
    clearTimeout(this.#idle);
    await Promise.allSettled([this.#search, ...this.#renderings]);
    clearTimeout(this.#idle);
    await this.#endSpare();
    await rm(this.#options.folder, { recursive: true, force: true });
  }

  async #render(request: Order, signal: AbortSignal): Promise<Rendered> {
    signal.throwIfAborted();
    clearTimeout(this.#idle);
    const { sandbox } = await this.findSandbox();
    if (!sandbox)
      throw new AppError('unavailable', { cause: new Error('no sandbox for decoders works here') });
    // The system may have killed the spare process.
    if (this.#spare?.decoder.hasEnded) await this.#endSpare();
    const job = this.#spare ?? (await this.#startJob(sandbox));
    this.#spare = undefined;
    this.#current = job.decoder;
    try {
      const order = await this.#prepare({ sandbox, job, request, signal });
      const output = job.decoder.run({
        input: JSON.stringify(order),
        maxOutputBytes: MAX_OUTPUT_BYTES,
        timeoutMs: this.#options.timeoutMs ?? TIMEOUT_MS,
        signal,
      });
      const [pictures, spare] = await Promise.allSettled([output, this.#startJob(sandbox)]);
      if (spare.status === 'fulfilled') this.#spare = spare.value;
      if (pictures.status === 'rejected') throw pictures.reason;
      return readPictures(pictures.value);
    } finally {
      this.#current = undefined;
      await endJob(job);
      this.#idle = setTimeout(() => void this.#endSpare(), IDLE_MS).unref();
    }
  }

  async #startJob(sandbox: Sandbox): Promise<Job> {
    const { folder: base, script = SCRIPT, maxRssBytes = MAX_RSS_BYTES } = this.#options;
    await mkdir(base, { recursive: true, mode: 0o700 });
    const folder = await mkdtemp(join(base, 'job-'));
    // The parent folder is closed to other users, and the decoder may run as one.
    await chmod(folder, 0o755);
    return { folder, decoder: new DecoderProcess({ sandbox, program: { script }, folder, maxRssBytes }) };
  }

  async #prepare({ sandbox, job, request, signal }: Preparation): Promise<RenderOrder> {
    const { maxRssBytes = MAX_RSS_BYTES, timeoutMs = TIMEOUT_MS } = this.#options;
    const { folder } = job;
    const { boxes, kinds, animated = false, pages } = request;
    const file = join(folder, FILE_NAME);
    const content = sniffContent(await copyTo(file, request.bytes, signal));
    if (!content || !(kinds as readonly string[]).includes(content.kind) || !this.canRender(content))
      throw new PictureError('unsupported', 'this kind of file has no picture');
    if (content.kind === 'image') return { format: content.format, boxes, animated };
    if (content.kind === 'pdf') return { format: 'pdf', boxes, animated, ...(pages && { pages }) };
    const box = findOuterBox(boxes);
    const video = { sandbox, ffmpeg: this.#ffmpeg!, folder, box, maxRssBytes, timeoutMs, signal };
    const frame = await renderVideoFrame(video);
    await rm(file);
    await writeFile(file, frame, { flag: 'wx' });
    await chmod(file, 0o444);
    return { format: 'png', boxes, animated };
  }

  async #endSpare(): Promise<void> {
    const spare = this.#spare;
    this.#spare = undefined;
    if (spare) await endJob(spare);
  }
}

type Order = RenderRequest & { pages?: PageRange };

type Preparation = { sandbox: Sandbox; job: Job; request: Order; signal: AbortSignal };

async function endJob({ folder, decoder }: Job): Promise<void> {
  await decoder.kill();
  await rm(folder, { recursive: true, force: true });
}

async function copyTo(path: string, bytes: AsyncIterable<Uint8Array>, signal: AbortSignal): Promise<Buffer> {
  const file = await open(path, 'wx', 0o600);
  let head = Buffer.alloc(0);
  try {
    for await (const block of bytes) {
      signal.throwIfAborted();
      if (head.length < SNIFFED_BYTES) head = Buffer.concat([head, block.subarray(0, SNIFFED_BYTES)]);
      await file.writeFile(block);
    }
    await file.chmod(0o444);
  } finally {
    await file.close();
  }
  return head;
}

/** Throws PictureError when the output is malformed. */
function readPictures(output: Buffer): Rendered {
  const reply = readReply(output);
  if (!reply) throw new PictureError('refused', 'the reply is malformed');
  if ('refusal' in reply)
    throw new PictureError(reply.tooMuchMotion ? 'too-much-motion' : 'refused', reply.refusal);
  let start = output.indexOf('\n') + 1;
  const pictures = reply.pictures.map(({ width, height, sizeBytes }) => {
    const bytes = output.subarray(start, start + sizeBytes);
    start += sizeBytes;
    if (bytes.length !== sizeBytes || bytes.toString('latin1', 8, 12) !== 'WEBP')
      throw new PictureError('refused', 'a picture is not WebP');
    return { width, height, bytes };
  });
  return { pictures, pageCount: reply.pageCount };
}

function readReply(output: Buffer): z.infer<typeof Reply> | undefined {
  const end = output.indexOf('\n');
  if (end === -1 || end > MAX_HEADER_BYTES) return undefined;
  try {
    return Reply.safeParse(JSON.parse(output.toString('utf8', 0, end))).data;
  } catch {
    return undefined;
  }
}
