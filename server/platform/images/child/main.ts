import { Worker } from 'node:worker_threads';
import { renderDocument } from './document.ts';
import { writePictures } from './picture.ts';
import { findOuterBox, type RenderBounds, type RenderOrder, type RenderReply } from './protocol.ts';

/**
 * The rendering process: takes one order at a time from the server and answers it. Whatever a hostile file
 * does to it, it ends: the server's wall clock kills it, its own watchdog when it outgrows its memory or its
 * parent is gone.
 */
const bounds = JSON.parse(process.argv[2]!) as RenderBounds;
new Worker(new URL('./watchdog.ts', import.meta.url), { workerData: bounds });

process.on('disconnect', () => process.exit(0));
process.on('message', (order: RenderOrder) => {
  void answer(order).then((reply) => process.send!(reply));
});

async function answer(order: RenderOrder): Promise<RenderReply> {
  try {
    return { pictures: await render(order) };
  } catch (error) {
    return { refusal: String(error).slice(0, 300) };
  }
}

async function render({ input, format, pictures }: RenderOrder) {
  if (format !== 'pdf') return writePictures(input, format, pictures);
  return writePictures(await renderDocument(input, findOuterBox(pictures)), 'png', pictures);
}
