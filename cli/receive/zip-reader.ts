import type { ByteReader } from './download.ts';

/** A file's local header in a zip (APPNOTE.TXT 6.3, section 4.3.7). */
export type ZippedFile = {
  name: string;
  /** Bytes. */
  size: number;
  crc32: number;
  /** Offset of its first byte in the zip. */
  dataStart: number;
};

/** Not a zip that Sendwell writes. Those are uncompressed, with sizes and checksums before the bytes. */
export class ZipError extends Error {
  override name = 'ZipError';
}

const LOCAL_HEADER = 0x04034b50;
const DIRECTORY_RECORD = 0x02014b50;
const END_RECORD = 0x06054b50;
const LOCAL_HEADER_BYTES = 30;
const UINT32_MAX = 0xffffffff;
const ENCRYPTED_OR_UNSIZED = 0x1 | 0x8;

/**
 * Reads the next local header; undefined after the last file. The caller must read exactly `size` bytes before the
 * next call. Throws ZipError, EndedEarlyError.
 */
export async function readZippedFile(zip: ByteReader): Promise<ZippedFile | undefined> {
  const signature = (await zip.read(4)).readUInt32LE(0);
  if (signature === DIRECTORY_RECORD || signature === END_RECORD) return undefined;
  if (signature !== LOCAL_HEADER) throw new ZipError('This is not a zip.');
  const header = await zip.read(LOCAL_HEADER_BYTES - 4);
  const at = (offset: number) => offset - 4;
  if (header.readUInt16LE(at(6)) & ENCRYPTED_OR_UNSIZED || header.readUInt16LE(at(8)) !== 0)
    throw new ZipError('This is not a zip from Sendwell.');
  const packedSize = header.readUInt32LE(at(18));
  const plainSize = header.readUInt32LE(at(22));
  const name = (await zip.read(header.readUInt16LE(at(26)))).toString();
  const extra = await zip.read(header.readUInt16LE(at(28)));
  const size = plainSize === UINT32_MAX ? readLargeSize(extra) : plainSize;
  if (packedSize !== plainSize) throw new ZipError('This is not a zip from Sendwell.');
  return { name, size, crc32: header.readUInt32LE(at(14)), dataStart: zip.position };
}

/** The zip64 field of a local header (section 4.5.3) has both sizes, which are equal in an uncompressed zip. */
function readLargeSize(extra: Buffer): number {
  for (let at = 0; at + 4 <= extra.length; ) {
    const [id, length] = [extra.readUInt16LE(at), extra.readUInt16LE(at + 2)];
    if (id === 1 && length >= 16 && at + 20 <= extra.length) {
      const size = Number(extra.readBigUInt64LE(at + 4));
      if (Number.isSafeInteger(size)) return size;
    }
    at += 4 + length;
  }
  throw new ZipError('This zip does not state the size of a file.');
}
