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
  const pictures = await draw(order);
  const sizes = pictures.map(({ width, height, bytes }) => ({ width, height, sizeBytes: bytes.length }));
  write({ pictures: sizes }, pictures);
} catch (error) {
  write({ refusal: String(error).slice(0, 300), tooMuchMotion: error instanceof TooMuchMotionError });
}

async function draw(order: RenderOrder): Promise<RenderedPicture[]> {
  if (order.format !== 'pdf') return renderPictures(FILE_NAME, order);
  // Loading the library takes longer than rendering most pictures.
  const { renderDocument } = await import('./document.ts');
  const page = await renderDocument(FILE_NAME, findOuterBox(order.boxes));
  return renderPictures(page, { ...order, format: 'png' });
}

function write(reply: RenderReply, pictures: RenderedPicture[] = []): void {
  process.stdout.write(`${JSON.stringify(reply)}\n`);
  for (const { bytes } of pictures) process.stdout.write(bytes);
  // Libraries may leave timers behind.
  process.stdout.end(() => process.exit(0));
}
