/**
 * Zip records (APPNOTE.TXT 6.3, sections 4.3.7, 4.3.12, 4.3.14 to 16). STORE only; sizes and CRC-32 are in
 * the local header, so there are no data descriptors.
 */

export type ZipEntry = {
  /** '/'-separated, unique; see `nameEntries`. Folders are implied. */
  path: string;
  sizeBytes: number;
  crc32: number;
  /** Epoch milliseconds; stored in UTC in two-second steps, from 1980 to 2107. */
  modifiedAt: number;
};

export type DirectoryFacts = { count: number; start: number; sizeBytes: number };

const UINT16_MAX = 0xffff;
const UINT32_MAX = 0xffffffff;
const LOCAL_HEADER_BYTES = 30;
const DIRECTORY_RECORD_BYTES = 46;
const END_BYTES = 22;
const ZIP64_END_BYTES = 56;
const ZIP64_LOCATOR_BYTES = 20;
const VERSION_PLAIN = 20;
const VERSION_ZIP64 = 45;
const MADE_BY_UNIX = (3 << 8) | VERSION_ZIP64;
const UTF8_NAMES = 0x0800;
/** `-rw-r--r--`, a regular file. */
const UNIX_MODE = 0o100644;

const isLarge = (value: number) => value >= UINT32_MAX;

/** In bytes. */
type EntryLengths = { name: number; data: number };

/** Throws RangeError for a name too long for the format. */
export function localHeaderLength({ name, data }: EntryLengths): number {
  if (name > UINT16_MAX) throw new RangeError('a zip entry name has at most 65535 bytes');
  return LOCAL_HEADER_BYTES + name + (isLarge(data) ? 20 : 0);
}

export function directoryRecordLength({ name, data }: EntryLengths, headerStart: number): number {
  return DIRECTORY_RECORD_BYTES + name + directoryExtraLength(data, headerStart);
}

export function endLength(directory: DirectoryFacts): number {
  return END_BYTES + (needsZip64End(directory) ? ZIP64_END_BYTES + ZIP64_LOCATOR_BYTES : 0);
}

export function writeLocalHeader(buffer: Buffer, at: number, entry: ZipEntry): void {
  const large = isLarge(entry.sizeBytes);
  buffer.writeUInt32LE(0x04034b50, at);
  writeCommonFields(buffer, at + 4, entry, large ? VERSION_ZIP64 : VERSION_PLAIN);
  buffer.writeUInt16LE(large ? 20 : 0, at + 28);
  const extra = at + LOCAL_HEADER_BYTES + buffer.write(entry.path, at + LOCAL_HEADER_BYTES);
  if (large) writeZip64Extra(buffer, extra, [entry.sizeBytes, entry.sizeBytes]);
}

export function writeDirectoryRecord(buffer: Buffer, at: number, entry: ZipEntry, headerStart: number): void {
  const extraLength = directoryExtraLength(entry.sizeBytes, headerStart);
  buffer.writeUInt32LE(0x02014b50, at);
  buffer.writeUInt16LE(MADE_BY_UNIX, at + 4);
  writeCommonFields(buffer, at + 6, entry, extraLength > 0 ? VERSION_ZIP64 : VERSION_PLAIN);
  buffer.writeUInt16LE(extraLength, at + 30);
  // No comment, first disk, no internal attributes.
  buffer.fill(0, at + 32, at + 38);
  buffer.writeUInt32LE(UNIX_MODE * 0x10000, at + 38);
  buffer.writeUInt32LE(Math.min(headerStart, UINT32_MAX), at + 42);
  const extra = at + DIRECTORY_RECORD_BYTES + buffer.write(entry.path, at + DIRECTORY_RECORD_BYTES);
  if (extraLength > 0) writeZip64Extra(buffer, extra, largeValues(entry.sizeBytes, headerStart));
}

export function writeEnd(buffer: Buffer, at: number, directory: DirectoryFacts): void {
  const zip64 = needsZip64End(directory);
  if (zip64) writeZip64End(buffer, at, directory);
  const end = zip64 ? at + ZIP64_END_BYTES + ZIP64_LOCATOR_BYTES : at;
  const count = Math.min(directory.count, UINT16_MAX);
  buffer.writeUInt32LE(0x06054b50, end);
  buffer.writeUInt32LE(0, end + 4);
  buffer.writeUInt16LE(count, end + 8);
  buffer.writeUInt16LE(count, end + 10);
  buffer.writeUInt32LE(Math.min(directory.sizeBytes, UINT32_MAX), end + 12);
  buffer.writeUInt32LE(Math.min(directory.start, UINT32_MAX), end + 16);
  buffer.writeUInt16LE(0, end + 20);
}

/** Values beyond 32 bits, in the order of the zip64 extra (4.5.3). */
function largeValues(sizeBytes: number, headerStart: number): number[] {
  return [
    ...(isLarge(sizeBytes) ? [sizeBytes, sizeBytes] : []),
    ...(isLarge(headerStart) ? [headerStart] : []),
  ];
}

function directoryExtraLength(sizeBytes: number, headerStart: number): number {
  if (!isLarge(sizeBytes) && !isLarge(headerStart)) return 0;
  return 4 + (isLarge(sizeBytes) ? 16 : 0) + (isLarge(headerStart) ? 8 : 0);
}

/** 24 bytes, from version needed to name length. */
function writeCommonFields(buffer: Buffer, at: number, entry: ZipEntry, version: number): void {
  const size = Math.min(entry.sizeBytes, UINT32_MAX);
  const { time, date } = toDosTime(entry.modifiedAt);
  buffer.writeUInt16LE(version, at);
  buffer.writeUInt16LE(UTF8_NAMES, at + 2);
  buffer.writeUInt16LE(0, at + 4);
  buffer.writeUInt16LE(time, at + 6);
  buffer.writeUInt16LE(date, at + 8);
  buffer.writeUInt32LE(entry.crc32, at + 10);
  buffer.writeUInt32LE(size, at + 14);
  buffer.writeUInt32LE(size, at + 18);
  buffer.writeUInt16LE(Buffer.byteLength(entry.path), at + 22);
}

function writeZip64Extra(buffer: Buffer, at: number, values: number[]): void {
  buffer.writeUInt16LE(1, at);
  buffer.writeUInt16LE(values.length * 8, at + 2);
  for (const [index, value] of values.entries()) writeUInt64(buffer, at + 4 + index * 8, value);
}

function needsZip64End({ count, start, sizeBytes }: DirectoryFacts): boolean {
  return count >= UINT16_MAX || isLarge(start) || isLarge(sizeBytes);
}

function writeZip64End(buffer: Buffer, at: number, { count, start, sizeBytes }: DirectoryFacts): void {
  buffer.writeUInt32LE(0x06064b50, at);
  writeUInt64(buffer, at + 4, ZIP64_END_BYTES - 12);
  buffer.writeUInt16LE(MADE_BY_UNIX, at + 12);
  buffer.writeUInt16LE(VERSION_ZIP64, at + 14);
  buffer.fill(0, at + 16, at + 24);
  writeUInt64(buffer, at + 24, count);
  writeUInt64(buffer, at + 32, count);
  writeUInt64(buffer, at + 40, sizeBytes);
  writeUInt64(buffer, at + 48, start);
  const locator = at + ZIP64_END_BYTES;
  buffer.writeUInt32LE(0x07064b50, locator);
  buffer.writeUInt32LE(0, locator + 4);
  writeUInt64(buffer, locator + 8, start + sizeBytes);
  buffer.writeUInt32LE(1, locator + 16);
}

function writeUInt64(buffer: Buffer, at: number, value: number): void {
  buffer.writeUInt32LE(value % 0x100000000, at);
  buffer.writeUInt32LE(Math.floor(value / 0x100000000), at + 4);
}

const FIRST_DOS_INSTANT = Date.UTC(1980, 0, 1);
const LAST_DOS_INSTANT = Date.UTC(2107, 11, 31, 23, 59, 58);

function toDosTime(instant: number): { time: number; date: number } {
  const at = Math.min(Math.max(instant, FIRST_DOS_INSTANT), LAST_DOS_INSTANT);
  const second = Math.floor(at / 1000) % 86_400;
  const day = new Date(at);
  const time =
    (Math.floor(second / 3600) << 11) | ((Math.floor(second / 60) % 60) << 5) | ((second % 60) >> 1);
  const date = ((day.getUTCFullYear() - 1980) << 9) | ((day.getUTCMonth() + 1) << 5) | day.getUTCDate();
  return { time, date };
}
