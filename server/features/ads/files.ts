import { buffer } from 'node:stream/consumers';
import { AD_IMAGE_MAX_BYTES, AD_VIDEO_MAX_BYTES, type AdInput } from '../../../contracts/plans/ads.ts';
import { normaliseFileName } from '../../../contracts/values/file-names.ts';
import { formatSize } from '../../../contracts/values/sizes.ts';
import type { Context } from '../../context.ts';
import type { AdRow } from '../../platform/db/schema.ts';
import { MAX_ANIMATION_PIXELS, MAX_FRAMES } from '../../platform/images/child/protocol.ts';
import { PictureError } from '../../platform/images/picture-error.ts';
import { type Content, SNIFFED_BYTES, sniffContent } from '../../platform/images/sniff.ts';
import { AppError } from '../../platform/lib/app-error.ts';
import { randomId } from '../../platform/lib/tokens.ts';
import { writeBlob, writeBlobFrom } from '../../platform/storage/write-blob.ts';
import type { AdUpload } from './forms.ts';

export type AdFile = Pick<AdRow, 'storageKey' | 'filename' | 'mimeType' | 'sizeBytes'>;
type Kind = AdInput['type'];

/** Pixels: the banner on a large window with a dense screen. */
const BOX = { width: 2_560, height: 1_440 };
/** What every browser plays. */
const FILMS = ['video/mp4', 'video/webm'];
/** Damaged, or beyond what the decoder is allowed to take. */
const UNREADABLE = 'This picture is damaged or has too many pixels. Please select another image file.';

const TOO_MUCH_MOTION = `This animation is too large. Use fewer frames or a smaller size (${MAX_FRAMES} frames and ${MAX_ANIMATION_PIXELS / 1_000_000} million pixels in all frames together), or upload it as a video.`;

/**
 * Stores the file of an ad: a picture re-encoded as WebP with all frames of an animation, a film as it is. The type is
 * recognized by the file's own bytes.
 * Throws AppError `invalid_ad_file`, `image_too_large`, `body_too_large`, `storage_full`, `unavailable`.
 */
export async function storeAdFile(
  context: Pick<Context, 'blobs' | 'images'>,
  upload: AdUpload,
  type: Kind,
): Promise<AdFile & { storageKey: string }> {
  const content = await recogniseFile(upload);
  requireKind(type, content.mimeType);
  const storageKey = randomId();
  const filename = normaliseFileName(upload.fileName);
  if (type === 'video') {
    await writeBlobFrom(context.blobs, storageKey, upload);
    return { storageKey, filename, mimeType: content.mimeType, sizeBytes: upload.sizeBytes };
  }
  const picture = await drawPicture(context, upload);
  await writeBlob(context.blobs, storageKey, picture);
  return { storageKey, filename, mimeType: 'image/webp', sizeBytes: picture.length };
}

/** Throws AppError `invalid_ad_file` when the file is not what the ad is said to be. */
export function requireKind(type: Kind, mimeType: string): void {
  const kind = mimeType.split('/')[0];
  if (kind === type) return;
  throw new AppError('invalid_ad_file', {
    message: `The file is ${kind === 'video' ? 'a video' : 'an image'}. Please select ${type === 'video' ? 'a video' : 'an image'} file, or change the type of the ad.`,
  });
}

export function videoTooLarge(): AppError {
  const size = formatSize(AD_VIDEO_MAX_BYTES);
  return new AppError('body_too_large', { message: `Please choose a video of at most ${size}.` });
}

async function recogniseFile(upload: AdUpload): Promise<Content> {
  if (upload.sizeBytes === 0) throw new AppError('invalid_ad_file');
  const head = await buffer(upload.read(0, Math.min(SNIFFED_BYTES, upload.sizeBytes)));
  const content = sniffContent(head);
  if (!content || (content.kind !== 'image' && !FILMS.includes(content.mimeType)))
    throw new AppError('invalid_ad_file');
  return content;
}

async function drawPicture({ images }: Pick<Context, 'images'>, upload: AdUpload): Promise<Buffer> {
  if (upload.sizeBytes > AD_IMAGE_MAX_BYTES)
    throw new AppError('image_too_large', { details: { size: formatSize(AD_IMAGE_MAX_BYTES) } });
  try {
    // Ending the stream would end the file's temporary place, which others have to do.
    const bytes = upload.read(0, upload.sizeBytes).iterator({ destroyOnReturn: false });
    const [picture] = await images.render({
      owner: 'ads',
      bytes,
      kinds: ['image'],
      boxes: [BOX],
      animated: true,
    });
    return picture!.bytes;
  } catch (error) {
    if (!(error instanceof PictureError)) throw error;
    const message = error.fault === 'too-much-motion' ? TOO_MUCH_MOTION : UNREADABLE;
    throw new AppError('invalid_ad_file', { message, cause: error });
  }
}
