import { constants } from 'node:fs';
import { mkdir, mkdtemp, open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { MIB } from '../../../contracts/sizes.ts';
import { ConcurrencyLimit } from '../lib/concurrency-limit.ts';
import { findOuterBox, type PictureBox, type RenderOrder } from './child/protocol.ts';
import { findFfmpeg, writeFilmFrame } from './film-frame.ts';
import { PictureError } from './picture-error.ts';
import { RenderProcess } from './render-process.ts';
import { type Content, SNIFFED_BYTES, sniffContent } from './sniff.ts';

export type RenderRequest = {
  /** The file, read once from its beginning. */
  bytes: AsyncIterable<Uint8Array>;
  /** What may be rendered; anything else is `unsupported`. */
  kinds: readonly ('image' | 'pdf' | 'video')[];
  /** One picture for each, fitted into it; never larger than the original. */
  boxes: readonly PictureBox[];
  /** Gives up; the process that renders is killed. */
  signal?: AbortSignal;
};

/** WebP without metadata. */
export type Picture = PictureBox & { bytes: Buffer };

export type RendererOptions = {
  /** For copies of files while they are rendered; whatever lies in it is removed at the start. */
  folder: string;
  /** Tests replace the program, its time and where ffmpeg is. */
  script?: string;
  timeoutMs?: number;
  maxRssBytes?: number;
  ffmpeg?: string;
};

const TIMEOUT_MS = 30_000;
/** A process makes so many pictures before a fresh one takes over: what a decoder leaks goes with it. */
const ORDERS_PER_PROCESS = 50;
/** Memory is given back when nothing is asked for. */
const IDLE_MS = 30_000;
const MAX_PICTURE_BYTES = 32 * MIB;
const NEVER = new AbortController().signal;

/** Opens the port to pictures. No process is started before the first is asked for. */
export async function openRenderer(options: RendererOptions): Promise<Renderer> {
  await rm(options.folder, { recursive: true, force: true });
  return new Renderer(options, options.ffmpeg ?? (await findFfmpeg()));
}

/**
 * Makes pictures of files that may be hostile, one at a time, in a process apart from the server. What a file
 * is, its own bytes say.
 */
export class Renderer {
  readonly #options: RendererOptions;
  readonly #ffmpeg: string | undefined;
  readonly #closing = new AbortController();
  readonly #turns = new ConcurrencyLimit(1);
  #process: RenderProcess | undefined;
  #ordersLeft = 0;
  #idle: NodeJS.Timeout | undefined;

  constructor(options: RendererOptions, ffmpeg: string | undefined) {
    this.#options = options;
    this.#ffmpeg = ffmpeg;
  }

  /** Of the process that renders at present; for tests. */
  get pid(): number | undefined {
    return this.#process?.hasEnded === false ? this.#process.pid : undefined;
  }

  /** Whether there is any use in asking for a picture of such a file. */
  canRender({ kind }: Pick<Content, 'kind'>): boolean {
    return kind === 'image' || kind === 'pdf' || (kind === 'video' && this.#ffmpeg !== undefined);
  }

  /** Throws PictureError, the signal's reason, and what reading the bytes or writing them to the disk throws. */
  render(request: RenderRequest): Promise<Picture[]> {
    const signal = AbortSignal.any([request.signal ?? NEVER, this.#closing.signal]);
    return this.#turns.run(async () => {
      signal.throwIfAborted();
      clearTimeout(this.#idle);
      await mkdir(this.#options.folder, { recursive: true, mode: 0o700 });
      const folder = await mkdtemp(join(this.#options.folder, 'job-'));
      try {
        return await this.#renderIn(folder, request, signal);
      } finally {
        await rm(folder, { recursive: true, force: true });
        this.#idle = setTimeout(() => void this.#endProcess(), IDLE_MS).unref();
      }
    });
  }

  /** Kills what renders; whoever waits for a picture is refused. */
  async close(): Promise<void> {
    this.#closing.abort();
    clearTimeout(this.#idle);
    await this.#turns.run(() => this.#endProcess());
    clearTimeout(this.#idle);
    await rm(this.#options.folder, { recursive: true, force: true });
  }

  async #renderIn(folder: string, request: RenderRequest, signal: AbortSignal): Promise<Picture[]> {
    const file = join(folder, 'file');
    const content = sniffContent(await copyTo(file, request.bytes, signal));
    if (!content || !(request.kinds as readonly string[]).includes(content.kind) || !this.canRender(content))
      throw new PictureError('unsupported', 'not a kind of file that has a picture');
    const pictures = request.boxes.map((box, index) => ({ ...box, output: join(folder, `${index}.webp`) }));
    const source = await this.#findSource(content, { file, folder, request, signal });
    const sizes = await this.#run({ ...source, pictures }, signal);
    return Promise.all(
      pictures.map(async ({ output }, index) => ({ ...sizes[index]!, bytes: await readPicture(output) })),
    );
  }

  /** Images and documents as they are, of a film one frame. */
  async #findSource(
    content: Content,
    {
      file,
      folder,
      request,
      signal,
    }: { file: string; folder: string; request: RenderRequest; signal: AbortSignal },
  ): Promise<Pick<RenderOrder, 'input' | 'format'>> {
    if (content.kind === 'image') return { input: file, format: content.format };
    if (content.kind === 'pdf') return { input: file, format: 'pdf' };
    const output = join(folder, 'frame.png');
    const box = findOuterBox(request.boxes);
    await writeFilmFrame({ ffmpeg: this.#ffmpeg!, input: file, output, box, signal });
    return { input: output, format: 'png' };
  }

  async #run(order: RenderOrder, signal: AbortSignal): Promise<PictureBox[]> {
    if (this.#ordersLeft === 0) await this.#endProcess();
    if (!this.#process || this.#process.hasEnded) {
      this.#process = new RenderProcess(this.#options);
      this.#ordersLeft = ORDERS_PER_PROCESS;
    }
    this.#ordersLeft -= 1;
    const sizes = await this.#process.run(order, {
      timeoutMs: this.#options.timeoutMs ?? TIMEOUT_MS,
      signal,
    });
    if (sizes.length !== order.pictures.length) throw new PictureError('refused', 'pictures are missing');
    return sizes;
  }

  async #endProcess(): Promise<void> {
    const process = this.#process;
    this.#process = undefined;
    await process?.kill();
  }
}

/** Returns the file's first bytes. */
async function copyTo(path: string, bytes: AsyncIterable<Uint8Array>, signal: AbortSignal): Promise<Buffer> {
  const file = await open(path, 'wx', 0o600);
  let head = Buffer.alloc(0);
  try {
    for await (const block of bytes) {
      signal.throwIfAborted();
      if (head.length < SNIFFED_BYTES) head = Buffer.concat([head, block.subarray(0, SNIFFED_BYTES)]);
      await file.writeFile(block);
    }
  } finally {
    await file.close();
  }
  return head;
}

/** Follows no link: the process that wrote it could have put one there to a file that is not its own. */
async function readPicture(path: string): Promise<Buffer> {
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW).catch(() => undefined);
  if (!file) throw new PictureError('refused', 'there is no picture');
  try {
    const { size } = await file.stat();
    if (size > MAX_PICTURE_BYTES) throw new PictureError('refused', 'the picture is too large');
    const bytes = await file.readFile();
    if (bytes.toString('latin1', 8, 12) !== 'WEBP') throw new PictureError('refused', 'this is no WebP');
    return bytes;
  } finally {
    await file.close();
  }
}
