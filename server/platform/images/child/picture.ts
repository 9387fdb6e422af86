import sharp from 'sharp';
import {
  findOuterBox,
  MAX_ANIMATION_PIXELS,
  MAX_FRAMES,
  MAX_INPUT_PIXELS,
  type PictureBox,
  type RenderOrder,
} from './protocol.ts';

// Allow only the decoders of formats that the server detects.
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
/** Of 6; each step about doubles the time. */
const ANIMATION_EFFORT = 2;

export type RenderedPicture = PictureBox & { bytes: Buffer };

export class TooMuchMotionError extends Error {}

/**
 * Renders WebP, upright and without metadata. Of an animation, the first frame, or with `animated` all
 * frames. Throws when the image is damaged, too large or of another format.
 */
export async function renderPictures(
  input: string | Buffer,
  { format, boxes, animated }: RenderOrder,
): Promise<RenderedPicture[]> {
  const image = sharp(input, { limitInputPixels: MAX_INPUT_PIXELS, failOn: 'error', pages: 1 });
  const found = await image.metadata();
  if (found.format !== format) throw new Error(`found ${found.format}, expected ${format}`);
  const { width, height, pages = 1 } = found;
  if (animated && pages > 1) return renderAnimations(input, { boxes, width, height, pages });
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
    const rendered = await sharp(data, { raw })
      .resize({ width, height, fit: 'inside', withoutEnlargement: true })
      .webp({ quality: QUALITY })
      .toBuffer({ resolveWithObject: true });
    pictures.push({ width: rendered.info.width, height: rendered.info.height, bytes: rendered.data });
  }
  return pictures;
}

type Animation = PictureBox & { boxes: readonly PictureBox[]; pages: number };

async function renderAnimations(
  input: string | Buffer,
  { boxes, width, height, pages }: Animation,
): Promise<RenderedPicture[]> {
  if (pages > MAX_FRAMES || width * height * pages > MAX_ANIMATION_PIXELS) throw new TooMuchMotionError();
  const limits = { limitInputPixels: MAX_ANIMATION_PIXELS, failOn: 'error', animated: true } as const;
  const pictures = [];
  for (const box of boxes) {
    const rendered = await sharp(input, limits)
      .toColourspace('srgb')
      .resize({ ...box, fit: 'inside', withoutEnlargement: true })
      .webp({ quality: QUALITY, effort: ANIMATION_EFFORT })
      .toBuffer({ resolveWithObject: true });
    const { info, data } = rendered;
    pictures.push({ width: info.width, height: info.pageHeight ?? info.height, bytes: data });
  }
  return pictures;
}

/** Throws if the decoders don't work. */
export async function renderTestPicture(): Promise<void> {
  const create = { width: 8, height: 8, channels: 3, background: 'red' } as const;
  const png = await sharp({ create }).png().toBuffer();
  await renderPictures(png, { format: 'png', boxes: [{ width: 4, height: 4 }], animated: false });
}
