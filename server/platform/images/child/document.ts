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

/** Renders the first page as PNG that fits the box, whatever size the page claims. */
export async function renderDocument(path: string, box: PictureBox): Promise<Buffer> {
  // The library would make a path absolute, which the decoder may be unable to open.
  const file = await readFile(path);
  const { width, height } = await measureFirstPage(file);
  const scale = Math.min(box.width / width, box.height / height);
  if (!(Math.min(width, height) * scale >= 1)) throw new Error(`a page of ${width} × ${height}`);
  await using document = await pdf(file, {
    scale,
    docInitParams: BOUNDS,
    renderParams: { background: 'white' },
  });
  return await document.getPage(1);
}

/** A canvas factory that throws reveals the requested size. */
async function measureFirstPage(file: Buffer): Promise<PictureBox> {
  const asked: PictureBox[] = [];
  class Measure {
    create(width: number, height: number) {
      asked.push({ width, height });
      throw new Error('measured');
    }
  }
  const docInitParams = { ...BOUNDS, CanvasFactory: Measure } as Options['docInitParams'];
  await using document = await pdf(file, { docInitParams });
  await document.getPage(1).catch((error: unknown) => {
    if (asked.length === 0) throw error;
  });
  return asked[0]!;
}
