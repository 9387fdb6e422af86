import { MIB } from '../../../contracts/values/sizes.ts';
import { PICTURES_MAX, type Picture } from '../../../encryption/pictures.ts';
import type { UploadItem } from '../engine/upload-item.ts';

const LONGEST_SIDE = 480;
/** Larger pictures take too long to decode. */
const LARGEST_BYTES = 40 * MIB;
const QUALITY = 0.8;

/** Draws thumbnails while the files are sent, one at a time, because a decoded picture takes much memory. */
export class PictureDrawer {
  readonly #pictures = new Map<string, Picture>();
  #last: Promise<void> = Promise.resolve();
  #count = 0;

  add(items: readonly UploadItem[]): void {
    for (const { file, fileId } of items) {
      if (!file?.type.startsWith('image/') || fileId === undefined || file.size > LARGEST_BYTES) continue;
      if (this.#count >= PICTURES_MAX) return;
      this.#count += 1;
      this.#last = this.#last.then(async () => {
        // Formats the browser can't decode have no thumbnail.
        const picture = await drawPicture(file).catch(() => undefined);
        if (picture) this.#pictures.set(fileId, picture);
      });
    }
  }

  /** Those of these files, as soon as all are drawn. */
  async finish(fileIds: ReadonlySet<string>): Promise<Map<string, Picture>> {
    await this.#last;
    return new Map([...this.#pictures].filter(([fileId]) => fileIds.has(fileId)));
  }
}

async function drawPicture(file: File): Promise<Picture | undefined> {
  const bitmap = await createImageBitmap(file);
  const scale = Math.min(1, LONGEST_SIDE / Math.max(bitmap.width, bitmap.height));
  const sideOf = (length: number) => Math.max(1, Math.round(length * scale));
  const canvas = new OffscreenCanvas(sideOf(bitmap.width), sideOf(bitmap.height));
  canvas.getContext('2d')?.drawImage(bitmap, 0, 0, canvas.width, canvas.height);
  bitmap.close();
  // Safari draws PNG instead.
  const drawn = await canvas.convertToBlob({ type: 'image/webp', quality: QUALITY });
  if (drawn.type !== 'image/webp' && drawn.type !== 'image/png') return undefined;
  return { mimeType: drawn.type, bytes: new Uint8Array(await drawn.arrayBuffer()) };
}
