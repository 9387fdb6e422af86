import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { type Options, pdf } from 'pdf-to-img';
import { MAX_INPUT_PIXELS, type PictureBox } from './protocol.ts';

/** pdf-to-img's own dependency, which ships decoders for rarer image formats. */
const LIBRARY = 'pdfjs-dist';
const require = createRequire(import.meta.resolve('pdf-to-img'));
const decoders = join(dirname(require.resolve(`${LIBRARY}/package.json`)), 'wasm/');

const BOUNDS = {
  maxImageSize: MAX_INPUT_PIXELS,
  stopAtErrors: true,
  wasmUrl: decoders,
  verbosity: 0,
} as const;

type OpenDocument = {
  pageCount: number;
  /** As PNG that fits the box, whatever size the page claims. Pages are numbered from 1. */
  renderPage: (page: number) => Promise<Buffer>;
};

export async function openDocument(path: string, box: PictureBox): Promise<OpenDocument> {
  // The library would make a path absolute, which the decoder may be unable to open.
  const file = await readFile(path);
  await using document = await pdf(file, { docInitParams: BOUNDS });
  return { pageCount: document.length, renderPage: (page) => renderPage(file, page, box) };
}

/** Opens the document for each page, because the library has one scale per document and pages differ in size. */
async function renderPage(file: Buffer, page: number, box: PictureBox): Promise<Buffer> {
  const { width, height } = await measurePage(file, page);
  const scale = Math.min(box.width / width, box.height / height);
  if (!(Math.min(width, height) * scale >= 1)) throw new Error(`a page of ${width} × ${height}`);
  await using document = await pdf(file, {
    scale,
    docInitParams: BOUNDS,
    renderParams: { background: 'white' },
  });
  return await document.getPage(page);
}

/** A canvas factory that throws reveals the requested size. */
async function measurePage(file: Buffer, page: number): Promise<PictureBox> {
  const asked: PictureBox[] = [];
  class Measure {
    create(width: number, height: number) {
      asked.push({ width, height });
      throw new Error('measured');
    }
  }
  const docInitParams = { ...BOUNDS, CanvasFactory: Measure } as Options['docInitParams'];
  await using document = await pdf(file, { docInitParams });
  await document.getPage(page).catch((error: unknown) => {
    if (asked.length === 0) throw error;
  });
  return asked[0]!;
}
