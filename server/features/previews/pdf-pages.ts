import type { FastifyRequest } from 'fastify';
import { PDF_PREVIEW_PAGES } from '../../../contracts/transfers/downloads/previews.ts';
import { MINUTE_MS } from '../../../contracts/values/durations.ts';
import { MIB } from '../../../contracts/values/sizes.ts';
import type { Context } from '../../context.ts';
import { requireAddressWithinLimits } from '../../platform/http/limits/rate-limits.ts';
import { PictureError } from '../../platform/images/picture-error.ts';
import { AppError } from '../../platform/lib/app-error.ts';
import { bufferSource } from '../../platform/lib/byte-source.ts';
import { getPreviewedFile, pictureHead, type Shown, type Target } from './previews.ts';
import type { PreviewedFile } from './queries.ts';
import { readBlocks } from './stored-bytes.ts';
import { PREVIEW_SIDE } from './thumbnails.ts';

/** Starting a decoder and opening the document takes longer than drawing a few pages. */
const PAGES_PER_RUN = 4;
const BOX = { width: PREVIEW_SIDE, height: PREVIEW_SIDE };
/** About 300 pages of text. */
const KEPT_BYTES = 48 * MIB;
/** Of an entry without pages. */
const OVERHEAD = 500;
/** Readers need one run for four pages. */
const RUNS = { limit: 200, windowMs: 10 * MINUTE_MS };

type Deps = Pick<Context, 'db' | 'blobs' | 'images' | 'clock' | 'config' | 'log'>;

/** Undefined: the document cannot be drawn. */
type Run = { pageCount: number; pages: Buffer[] } | undefined;

/** Throws AppError `no_preview`, `too_many_requests`, `unavailable`. */
export async function countPages(deps: Deps, target: Target, request: FastifyRequest): Promise<number> {
  const file = await getDocument(deps, target);
  return (await cacheOf(deps).open(deps, { file, first: 1, request })).pageCount;
}

/** Throws AppError `no_preview`, also for a page that does not exist, `too_many_requests`, `unavailable`. */
export async function openPage(
  deps: Deps,
  { page, ...target }: Target & { page: number },
  request: FastifyRequest,
): Promise<Shown> {
  if (page > PDF_PREVIEW_PAGES) throw new AppError('no_preview');
  const file = await getDocument(deps, target);
  const first = page - ((page - 1) % PAGES_PER_RUN);
  const bytes = (await cacheOf(deps).open(deps, { file, first, request })).pages[page - first];
  if (!bytes) throw new AppError('no_preview');
  const etag = `"${file.id}-${file.crc32.toString(16)}-page-${page}"`;
  return { source: bufferSource(bytes), head: pictureHead(file, etag) };
}

/** Only of documents whose first page could be drawn. */
async function getDocument({ db }: Deps, target: Target): Promise<PreviewedFile> {
  const file = await getPreviewedFile(db, target);
  if (file.kind !== 'pdf' || file.previewKey === null) throw new AppError('no_preview');
  return file;
}

type Wanted = { file: PreviewedFile; first: number; request: FastifyRequest };

/**
 * An LRU cache of drawn pages. Concurrent requests share the drawing. Failures are kept too, so that a document that
 * cannot be drawn costs its time once.
 */
class PageCache {
  readonly #kept = new Map<string, Run>();
  readonly #drawing = new Map<string, Promise<Run>>();
  #keptBytes = 0;

  async open(deps: Deps, wanted: Wanted): Promise<NonNullable<Run>> {
    const { file, first } = wanted;
    const key = `${file.id} ${file.crc32} ${first}`;
    const run = this.#kept.has(key)
      ? this.#keep(key, this.#kept.get(key))
      : await this.#draw(key, deps, wanted);
    if (!run) throw new AppError('no_preview');
    return run;
  }

  async #draw(key: string, deps: Deps, { file, first, request }: Wanted): Promise<Run> {
    const underWay = this.#drawing.get(key);
    if (underWay) return underWay;
    const drawing = requireAddressWithinLimits(deps, request, { key: 'pdf-pages', ...RUNS })
      .then(() => drawPages(deps, file, first))
      .then((run) => this.#keep(key, run))
      .finally(() => this.#drawing.delete(key));
    this.#drawing.set(key, drawing);
    return drawing;
  }

  #keep(key: string, run: Run): Run {
    if (!this.#kept.delete(key)) this.#keptBytes += bytesOf(run);
    this.#kept.set(key, run);
    for (const [oldestKey, oldest] of this.#kept) {
      if (this.#keptBytes <= KEPT_BYTES) break;
      this.#kept.delete(oldestKey);
      this.#keptBytes -= bytesOf(oldest);
    }
    return run;
  }
}

function bytesOf(run: Run): number {
  return OVERHEAD + (run?.pages ?? []).reduce((sum, { length }) => sum + length, 0);
}

async function drawPages({ images, blobs, log }: Deps, file: PreviewedFile, first: number): Promise<Run> {
  try {
    const { pages, pageCount } = await images.renderPages({
      // Owners take turns, so nobody's readers delay the pictures of others.
      owner: file.ownerId,
      bytes: readBlocks(blobs, file),
      box: BOX,
      pages: { first, count: PAGES_PER_RUN },
    });
    // The renderer's buffers are parts of its whole output.
    return { pageCount, pages: pages.map(({ bytes }) => Buffer.from(bytes)) };
  } catch (error) {
    if (!(error instanceof PictureError)) throw error;
    log.info({ fileId: file.id, first, reason: String(error) }, 'Could not draw pages of a file.');
    return undefined;
  }
}

/** One per renderer, because tests run several servers in a process. */
const caches = new WeakMap<Context['images'], PageCache>();

function cacheOf({ images }: Pick<Context, 'images'>): PageCache {
  const cache = caches.get(images) ?? new PageCache();
  caches.set(images, cache);
  return cache;
}
