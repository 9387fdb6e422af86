import sharp from 'sharp';
import { findOuterBox, MAX_INPUT_PIXELS, type PictureBox, type RenderOrder } from './protocol.ts';

// Only the decoders of the formats that the server recognizes.
sharp.block({ operation: ['VipsForeignLoad'] });
sharp.unblock({
  operation: [
    'VipsForeignLoadJpeg',
    'VipsForeignLoadPng',
    'VipsForeignLoadWebp',
    'VipsForeignLoadNsgif',
    'VipsForeignLoadHeif',
  ],
});
sharp.cache(false);
sharp.concurrency(1);

const QUALITY = 80;

export type DrawnPicture = PictureBox & { bytes: Buffer };

/**
 * Draws pictures of an image as WebP: upright, without metadata, of an animation its first frame. The original is
 * decoded once. Throws when it is damaged, too large or of another format than expected.
 */
export async function drawPictures(
  input: string | Buffer,
  { format, boxes }: RenderOrder,
): Promise<DrawnPicture[]> {
  const image = sharp(input, { limitInputPixels: MAX_INPUT_PIXELS, failOn: 'error', pages: 1 });
  const found = await image.metadata();
  if (found.format !== format) throw new Error(`found ${found.format}, expected ${format}`);
  const { data, info } = await image
    .autoOrient()
    .toColourspace('srgb')
    .resize({ ...findOuterBox(boxes), fit: 'inside', withoutEnlargement: true })
    .raw({ depth: 'uchar' })
    .toBuffer({ resolveWithObject: true });
  const { channels } = info;
  const raw = { width: info.width, height: info.height, channels };
  const pictures = [];
  for (const { width, height } of boxes) {
    const drawn = await sharp(data, { raw })
      .resize({ width, height, fit: 'inside', withoutEnlargement: true })
      .webp({ quality: QUALITY })
      .toBuffer({ resolveWithObject: true });
    pictures.push({ width: drawn.info.width, height: drawn.info.height, bytes: drawn.data });
  }
  return pictures;
}

/** Encodes and decodes a tiny picture; throws when the decoders do not work here. */
export async function drawTestPicture(): Promise<void> {
  const create = { width: 8, height: 8, channels: 3, background: 'red' } as const;
  const png = await sharp({ create }).png().toBuffer();
  await drawPictures(png, { format: 'png', boxes: [{ width: 4, height: 4 }] });
}
