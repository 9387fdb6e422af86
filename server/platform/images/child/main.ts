import { text } from 'node:stream/consumers';
import { type DrawnPicture, drawPictures, TooMuchMotion } from './picture.ts';
import { FILE_NAME, findOuterBox, type RenderOrder, type RenderReply } from './protocol.ts';

/**
 * The decoder: reads one order from standard input, draws the pictures of one file, writes them to standard output and
 * exits. The server limits its time, memory and output, and believes nothing of what it writes.
 */
// A library that prints would break the output.
console.log = console.info = console.debug = () => {};

const order = JSON.parse(await text(process.stdin)) as RenderOrder;
try {
  const pictures = await draw(order);
  const sizes = pictures.map(({ width, height, bytes }) => ({ width, height, sizeBytes: bytes.length }));
  write({ pictures: sizes }, pictures);
} catch (error) {
  write({ refusal: String(error).slice(0, 300), tooMuchMotion: error instanceof TooMuchMotion });
}

async function draw(order: RenderOrder): Promise<DrawnPicture[]> {
  if (order.format !== 'pdf') return drawPictures(FILE_NAME, order);
  // Loading the library takes longer than drawing most pictures.
  const { renderDocument } = await import('./document.ts');
  const page = await renderDocument(FILE_NAME, findOuterBox(order.boxes));
  return drawPictures(page, { ...order, format: 'png' });
}

function write(reply: RenderReply, pictures: DrawnPicture[] = []): void {
  process.stdout.write(`${JSON.stringify(reply)}\n`);
  for (const { bytes } of pictures) process.stdout.write(bytes);
  // Libraries may leave timers behind.
  process.stdout.end(() => process.exit(0));
}
