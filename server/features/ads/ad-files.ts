import type { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import type { FastifyRequest } from 'fastify';
import { AD_IMAGE_MAX_BYTES, AD_VIDEO_MAX_BYTES, AdInput } from '../../../contracts/plans/ads.ts';
import { normaliseFileName } from '../../../contracts/values/names/file-names.ts';
import { formatSize, KIB } from '../../../contracts/values/sizes.ts';
import type { Context } from '../../context.ts';
import type { AdRow } from '../../platform/db/schema.ts';
import { type ReceivedForm, receiveFiles } from '../../platform/http/bodies/form-files.ts';
import { invalidInput } from '../../platform/http/routing/invalid-input.ts';
import { MAX_ANIMATION_PIXELS, MAX_FRAMES } from '../../platform/images/child/protocol.ts';
import { PictureError, UNREADABLE_PICTURE } from '../../platform/images/picture-error.ts';
import { type Content, SNIFFED_BYTES, sniffContent } from '../../platform/images/sniff.ts';
import { AppError } from '../../platform/lib/app-error.ts';
import { randomId } from '../../platform/lib/tokens.ts';
import { writeBlob, writeBlobFrom } from '../../platform/storage/write-blob.ts';

/** Longer than any field may be, so that validation refuses long values instead of the parser truncating them. */
const MAX_TEXT_BYTES = 16 * KIB;

export type AdFile = Pick<AdRow, 'storageKey' | 'filename' | 'mimeType' | 'sizeBytes'>;
type Kind = AdInput['type'];

/** Pixels: a banner in a large window on a high-density screen. */
const BOX = { width: 2_560, height: 1_440 };
const VIDEO_TYPES = ['video/mp4', 'video/webm'];

const TOO_MUCH_MOTION = `This animation is too large. Use fewer frames or a smaller size (${MAX_FRAMES} frames and ${MAX_ANIMATION_PIXELS / 1_000_000} million pixels in all frames together), or upload it as a video.`;

type AdUpload = {
  fileName: string;
  sizeBytes: number;
  /** `end` is exclusive and greater than `start`. */
  read(start: number, end: number): Readable;
};

export type AdForm = {
  input: AdInput;
  upload: AdUpload | undefined;
  /** Deletes the temporary file. Call it in every case. */
  drop(): Promise<void>;
};

/**
 * Receives the form of an ad. Throws AppError `invalid_input` with the fields' errors, `malformed_form`,
 * `body_too_large`, `unsupported_media_type`, `storage_full`.
 */
export async function receiveAdForm(request: FastifyRequest, folder: string): Promise<AdForm> {
  const form = await receiveFiles(request, {
    fields: ['file'],
    maxTextBytes: MAX_TEXT_BYTES,
    onFile: watchOneFile(),
    folder,
  });
  const input = AdInput.safeParse(Object.fromEntries(form.fields));
  if (input.success) return { input: input.data, upload: findUpload(form), drop: form.drop };
  await form.drop();
  throw invalidInput(input.error);
}

function watchOneFile() {
  let files = 0;
  return () => {
    files += 1;
    if (files > 1) throw new AppError('malformed_form');
    let sizeBytes = 0;
    return (bytes: number) => {
      sizeBytes += bytes;
      if (sizeBytes > AD_VIDEO_MAX_BYTES) throw videoTooLargeError();
    };
  };
}

function findUpload({ files: [file], read }: ReceivedForm): AdUpload | undefined {
  if (!file) return undefined;
  const { fileName, sizeBytes } = file;
  return { fileName, sizeBytes, read: (start, end) => read(file, start, end) };
}

/**
 * Re-encodes pictures as WebP, with all frames of an animation, and stores videos unchanged. Detects the type from the
 * bytes. Throws AppError `invalid_ad_file`, `image_too_large`, `body_too_large`, `storage_full`, `unavailable`.
 */
export async function storeAdFile(
  context: Pick<Context, 'blobs' | 'images'>,
  upload: AdUpload,
  type: Kind,
): Promise<AdFile & { storageKey: string }> {
  const content = await detectContent(upload);
  requireKind(type, content.mimeType);
  const storageKey = randomId();
  const filename = normaliseFileName(upload.fileName);
  if (type === 'video') {
    await writeBlobFrom(context.blobs, storageKey, upload);
    return { storageKey, filename, mimeType: content.mimeType, sizeBytes: upload.sizeBytes };
  }
  const picture = await renderPicture(context, upload);
  await writeBlob(context.blobs, storageKey, picture);
  return { storageKey, filename, mimeType: 'image/webp', sizeBytes: picture.length };
}

export function requireKind(type: Kind, mimeType: string): void {
  const kind = mimeType.split('/')[0];
  if (kind === type) return;
  throw new AppError('invalid_ad_file', {
    message:
      kind === 'video'
        ? 'The file is a video. Please select an image file, or change the type of the ad.'
        : 'The file is an image. Please select a video file, or change the type of the ad.',
  });
}

function videoTooLargeError(): AppError {
  const size = formatSize(AD_VIDEO_MAX_BYTES);
  return new AppError('body_too_large', { message: `Please choose a video of at most ${size}.` });
}

async function detectContent(upload: AdUpload): Promise<Content> {
  if (upload.sizeBytes === 0) throw new AppError('invalid_ad_file');
  const head = await buffer(upload.read(0, Math.min(SNIFFED_BYTES, upload.sizeBytes)));
  const content = sniffContent(head);
  if (!content || (content.kind !== 'image' && !VIDEO_TYPES.includes(content.mimeType)))
    throw new AppError('invalid_ad_file');
  return content;
}

async function renderPicture({ images }: Pick<Context, 'images'>, upload: AdUpload): Promise<Buffer> {
  if (upload.sizeBytes > AD_IMAGE_MAX_BYTES)
    throw new AppError('image_too_large', { details: { size: formatSize(AD_IMAGE_MAX_BYTES) } });
  try {
    // Destroying the stream would delete the temporary file, which is the task of `drop`.
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
    const message = error.fault === 'too-much-motion' ? TOO_MUCH_MOTION : UNREADABLE_PICTURE;
    throw new AppError('invalid_ad_file', { message, cause: error });
  }
}
