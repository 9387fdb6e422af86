import sharp from 'sharp';
import { findOuterBox, MAX_INPUT_PIXELS, type PictureOrder } from './protocol.ts';

/** Only the decoders of what we recognise: a file that is mislabelled finds nobody to read it. */
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

/**
 * Writes pictures of an image as WebP: upright, without metadata, of an animation its first frame. The
 * original is decoded once. Throws when it is damaged, too large or not of the format it was taken for.
 */
export async function writePictures(
  input: string | Buffer,
  format: string,
  pictures: PictureOrder[],
): Promise<{ width: number; height: number }[]> {
  const image = sharp(input, { limitInputPixels: MAX_INPUT_PIXELS, failOn: 'error', pages: 1 });
  const found = await image.metadata();
  if (found.format !== format) throw new Error(`found ${found.format}, expected ${format}`);
  const { data, info } = await image
    .autoOrient()
    .toColourspace('srgb')
    .resize({ ...findOuterBox(pictures), fit: 'inside', withoutEnlargement: true })
    .raw({ depth: 'uchar' })
    .toBuffer({ resolveWithObject: true });
  const { channels } = info;
  const raw = { width: info.width, height: info.height, channels };
  const sizes = [];
  for (const { output, width, height } of pictures) {
    const written = await sharp(data, { raw })
      .resize({ width, height, fit: 'inside', withoutEnlargement: true })
      .webp({ quality: QUALITY })
      .toFile(output);
    sizes.push({ width: written.width, height: written.height });
  }
  return sizes;
}
