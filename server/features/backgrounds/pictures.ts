import { createReadStream } from 'node:fs';
import { tierIncludes } from '../../../contracts/plans/tiers.ts';
import type { Context } from '../../context.ts';
import type { BytesHead } from '../../platform/http/send-bytes.ts';
import { PictureError } from '../../platform/images/picture-error.ts';
import { AppError } from '../../platform/lib/app-error.ts';
import { type ByteSource, blobSource } from '../../platform/lib/byte-source.ts';
import { HOUR_MS, SECOND_MS } from '../../platform/lib/clock.ts';
import { readSignature } from './addresses.ts';
import { findOwnerByKey } from './queries.ts';

/** The same picture for large windows and for phones, as WebP. */
export type Pictures = { large: Buffer; small: Buffer };

/** Pixels; the small one is for a phone held upright. */
const BOXES = [
  { width: 2_560, height: 2_560 },
  { width: 1_080, height: 1_920 },
];

/** As long as an address is good at least. */
const KEPT_SECONDS = HOUR_MS / SECOND_MS;

/** Damaged, or beyond what the decoder is allowed to take. */
const UNREADABLE = 'This picture is damaged or has too many pixels. Please select another image file.';

/**
 * Reads a file as a picture, whatever it claims to be. `owner` takes turns with others. Throws AppError `invalid_image`,
 * `unavailable`.
 */
export async function renderPictures(
  { images }: Pick<Context, 'images'>,
  owner: string,
  path: string,
): Promise<Pictures> {
  try {
    const [large, small] = await images.render({
      owner,
      bytes: createReadStream(path),
      kinds: ['image'],
      boxes: BOXES,
    });
    return { large: large!.bytes, small: small!.bytes };
  } catch (error) {
    if (!(error instanceof PictureError)) throw error;
    if (error.fault === 'unsupported') throw new AppError('invalid_image', { cause: error });
    throw new AppError('invalid_image', { message: UNREADABLE, cause: error });
  }
}

/**
 * What a signed address leads to. Throws AppError `link_void` when it is forged or too old, and when the picture was
 * replaced or removed or its owner's plan includes it no longer.
 */
export async function openBackground(
  context: Pick<Context, 'db' | 'blobs' | 'clock' | 'secret'>,
  signature: string,
  size: keyof Pictures,
): Promise<{ source: ByteSource; head: BytesHead }> {
  const storageKey = readSignature(context, signature);
  const owner = storageKey === undefined ? undefined : await findOwnerByKey(context.db, storageKey);
  if (!owner || !tierIncludes(owner.tier, 'background')) throw new AppError('link_void');
  const largeBytes = owner.backgroundSizeBytes!;
  const slice =
    size === 'large'
      ? { offset: 0, sizeBytes: largeBytes }
      : { offset: largeBytes, sizeBytes: owner.backgroundSmallSizeBytes! };
  return {
    source: blobSource(context.blobs, { storageKey: storageKey!, ...slice }),
    head: {
      etag: `"${storageKey}-${size}"`,
      // An address shows the same picture for ever; when it was made is nobody's concern.
      lastModifiedAt: 0,
      contentType: 'image/webp',
      fileName: 'background.webp',
      disposition: 'inline',
      cacheControl: `private, max-age=${KEPT_SECONDS}`,
    },
  };
}
