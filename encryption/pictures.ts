import { z } from 'zod/mini';
import { FILE_ID_PATTERN, PICTURES_MAX_BYTES } from '../contracts/transfers/encryption.ts';
import { type Bytes, concatBytes, utf8 } from './bytes.ts';
import type { SegmentKey } from './keys.ts';
import { openDocument, sealDocument, unknownFormat } from './sealed-documents.ts';

/** Per transfer. */
export const PICTURES_MAX = 200;

/** Types that cannot contain scripts. */
const PictureType = z.enum(['image/webp', 'image/jpeg', 'image/png']);

const PictureList = z.object({
  version: z.literal(1),
  pictures: z
    .array(
      z.object({
        fileId: z.string().check(z.regex(FILE_ID_PATTERN)),
        mimeType: PictureType,
        size: z.int().check(z.nonnegative(), z.maximum(PICTURES_MAX_BYTES)),
      }),
    )
    .check(z.maxLength(PICTURES_MAX)),
});

export type Picture = { mimeType: z.infer<typeof PictureType>; bytes: Bytes };

/** By file id. Throws RangeError if they are too large together. */
export async function sealPictures(
  key: SegmentKey,
  pictures: ReadonlyMap<string, Picture>,
  revision: number,
): Promise<Bytes> {
  const list = [...pictures].map(([fileId, { mimeType, bytes }]) => ({
    fileId,
    mimeType,
    size: bytes.length,
  }));
  const head = utf8(JSON.stringify(PictureList.parse({ version: 1, pictures: list })));
  const rest = concatBytes(...[...pictures.values()].map(({ bytes }) => bytes));
  const sealed = await sealDocument(key, { kind: 'pictures', revision, head, rest });
  if (sealed.length > PICTURES_MAX_BYTES) throw new RangeError('The pictures are too large.');
  return sealed;
}

/** Throws DamagedSegmentError, or UnknownFormatError for content this version cannot read. */
export async function openPictures(
  key: SegmentKey,
  sealed: Bytes,
  revision: number,
): Promise<Map<string, Picture>> {
  const { head, rest } = await openDocument(key, { kind: 'pictures', revision }, sealed);
  const { pictures } = parseList(head);
  const found = new Map<string, Picture>();
  let at = 0;
  for (const { fileId, mimeType, size } of pictures) {
    found.set(fileId, { mimeType, bytes: rest.slice(at, at + size) });
    at += size;
  }
  if (at > rest.length) throw unknownFormat('pictures');
  return found;
}

function parseList(head: Bytes): z.infer<typeof PictureList> {
  try {
    return PictureList.parse(JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(head)));
  } catch {
    throw unknownFormat('pictures');
  }
}
