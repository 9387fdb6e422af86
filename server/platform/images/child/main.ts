import { text } from 'node:stream/consumers';
import { type RenderedPicture, renderPictures, TooMuchMotionError } from './picture.ts';
import { FILE_NAME, findOuterBox, type RenderOrder, type RenderReply } from './protocol.ts';

/**
 * Reads one order from standard input, writes the pictures to standard output and exits. The server limits
 * its time, memory and output, and doesn't trust the output.
 */
// Libraries that log would corrupt the output.
console.log = console.info = console.debug = () => {};

const order = JSON.parse(await text(process.stdin)) as RenderOrder;
try {
  const { pictures, ...rest } = await draw(order);
  const sizes = pictures.map(({ width, height, bytes }) => ({ width, height, sizeBytes: bytes.length }));
  write({ pictures: sizes, ...rest }, pictures);
} catch (error) {
  write({ refusal: String(error).slice(0, 300), tooMuchMotion: error instanceof TooMuchMotionError });
}

async function draw(order: RenderOrder): Promise<{ pictures: RenderedPicture[]; pageCount?: number }> {
  if (order.format !== 'pdf') return { pictures: await renderPictures(FILE_NAME, order) };
  // Loading the library takes longer than rendering most pictures.
  const { openDocument } = await import('./document.ts');
  const { pageCount, renderPage } = await openDocument(FILE_NAME, findOuterBox(order.boxes));
  const { first, count } = order.pages ?? { first: 1, count: 1 };
  const pictures: RenderedPicture[] = [];
  for (let page = first; page < first + count && page <= pageCount; page += 1)
    pictures.push(...(await renderPictures(await renderPage(page), { ...order, format: 'png' })));
  return { pictures, pageCount };
}

function write(reply: RenderReply, pictures: RenderedPicture[] = []): void {
  process.stdout.write(`${JSON.stringify(reply)}\n`);
  for (const { bytes } of pictures) process.stdout.write(bytes);
  // Libraries may leave timers behind.
  process.stdout.end(() => process.exit(0));
}
