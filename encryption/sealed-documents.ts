import { MANIFEST_BLOCK_BYTES, plainSize } from '../contracts/transfers/encryption.ts';
import { type Bytes, concatBytes, utf8 } from './bytes.ts';
import { DamagedSegmentError, UnknownFormatError } from './errors.ts';
import type { SegmentKey } from './keys.ts';
import { openAt, sealAt } from './segments.ts';

/** Eight characters: they fill the first half of the place where files have their id. */
export type DocumentKind = 'manifest' | 'pictures';

const LENGTH_BYTES = 4;

/** Pads the parts, of which the first is preceded by its length, to whole blocks and seals them. */
export function sealDocument(
  key: SegmentKey,
  { kind, revision, head, rest = new Uint8Array() }: DocumentPlace & { head: Bytes; rest?: Bytes },
): Promise<Bytes> {
  const used = LENGTH_BYTES + head.length + rest.length;
  const plain = new Uint8Array(Math.ceil(used / MANIFEST_BLOCK_BYTES) * MANIFEST_BLOCK_BYTES);
  new DataView(plain.buffer).setUint32(0, head.length);
  plain.set(head, LENGTH_BYTES);
  plain.set(rest, LENGTH_BYTES + head.length);
  return sealAt(key, placeOf({ kind, revision }, plain.length), plain);
}

type DocumentPlace = { kind: DocumentKind; revision: number };

/** `rest` still has its padding. Throws DamagedSegmentError or UnknownFormatError. */
export async function openDocument(
  key: SegmentKey,
  place: DocumentPlace,
  sealed: Bytes,
): Promise<{ head: Bytes; rest: Bytes }> {
  const plainBytes = plainSize(sealed.length);
  if (plainBytes === undefined) throw new DamagedSegmentError();
  const plain = await openAt(key, placeOf(place, plainBytes), sealed);
  const headBytes = plain.length < LENGTH_BYTES ? -1 : new DataView(plain.buffer).getUint32(0);
  if (headBytes < 0 || LENGTH_BYTES + headBytes > plain.length) throw unknownFormat(place.kind);
  return {
    head: plain.subarray(LENGTH_BYTES, LENGTH_BYTES + headBytes),
    rest: plain.subarray(LENGTH_BYTES + headBytes),
  };
}

export function unknownFormat(kind: DocumentKind): UnknownFormatError {
  return new UnknownFormatError(`The ${kind} of this transfer cannot be read by this version.`);
}

function placeOf({ kind, revision }: DocumentPlace, plainBytes: number) {
  const number = new Uint8Array(8);
  new DataView(number.buffer).setBigUint64(0, BigInt(revision));
  return { context: concatBytes(utf8(kind), number), plainBytes, firstSegment: 0 };
}
