/**
 * Zip records (APPNOTE.TXT 6.3, sections 4.3.7, 4.3.12, 4.3.14 to 16). STORE only; sizes and CRC-32 are in
 * the local header, so there are no data descriptors. Known modification times are also in Info-ZIP's extended
 * timestamp (0x5455), which has whole seconds in UTC.
 */

export type ZipEntry = {
  /** UTF-8, '/'-separated, unique; see `nameEntries`. Folders are implied. */
  name: Uint8Array;
  sizeBytes: number;
  crc32: number;
  /** Epoch milliseconds; stored in UTC in two-second steps, from 1980 to 2107. */
  modifiedAt: number;
  /** Whether `modifiedAt` is the file's own modification time, which then is also in an extended timestamp. */
  isTimeKnown?: boolean;
  isExecutable?: boolean;
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
/** `-rwxr-xr-x` */
const UNIX_MODE_EXECUTABLE = 0o100755;
const TIMESTAMP_ID = 0x5455;
const TIMESTAMP_BYTES = 9;
/** Only the modification time is present. */
const TIMESTAMP_FLAGS = 1;

const isLarge = (value: number) => value >= UINT32_MAX;

/**
 * Seconds since 1970, in 32 bits. Info-ZIP defines them as signed, but unzip and others read those after 2037 as
 * unsigned, by the year of the DOS date. Other times have only a DOS date.
 */
const TIMESTAMP_FROM_MS = -(2 ** 31) * 1000;
const TIMESTAMP_UNTIL_MS = 2 ** 32 * 1000;

export function hasTimestamp({
  modifiedAt,
  isTimeKnown,
}: Pick<ZipEntry, 'modifiedAt' | 'isTimeKnown'>): boolean {
  return isTimeKnown === true && modifiedAt >= TIMESTAMP_FROM_MS && modifiedAt < TIMESTAMP_UNTIL_MS;
}

/** `name` and `data` in bytes. */
type EntryLengths = { name: number; data: number; hasTimestamp: boolean };

/** Throws RangeError for a name too long for the format. */
export function localHeaderLength({ name, data, hasTimestamp }: EntryLengths): number {
  if (name > UINT16_MAX) throw new RangeError('a zip entry name has at most 65535 bytes');
  return LOCAL_HEADER_BYTES + name + (isLarge(data) ? 20 : 0) + (hasTimestamp ? TIMESTAMP_BYTES : 0);
}

export function directoryRecordLength(
  { name, data, hasTimestamp }: EntryLengths,
  headerStart: number,
): number {
  const timestamp = hasTimestamp ? TIMESTAMP_BYTES : 0;
  return DIRECTORY_RECORD_BYTES + name + zip64ExtraLength(data, headerStart) + timestamp;
}

export function endLength(directory: DirectoryFacts): number {
  return END_BYTES + (needsZip64End(directory) ? ZIP64_END_BYTES + ZIP64_LOCATOR_BYTES : 0);
}

export function writeLocalHeader(target: Uint8Array, at: number, entry: ZipEntry): void {
  const view = viewOf(target);
  const large = isLarge(entry.sizeBytes);
  const zip64Length = large ? 20 : 0;
  const timestamped = hasTimestamp(entry);
  view.setUint32(at, 0x04034b50, true);
  writeCommonFields(view, at + 4, entry, large ? VERSION_ZIP64 : VERSION_PLAIN);
  view.setUint16(at + 28, zip64Length + (timestamped ? TIMESTAMP_BYTES : 0), true);
  target.set(entry.name, at + LOCAL_HEADER_BYTES);
  const extra = at + LOCAL_HEADER_BYTES + entry.name.length;
  if (large) writeZip64Extra(view, extra, [entry.sizeBytes, entry.sizeBytes]);
  if (timestamped) writeTimestamp(view, extra + zip64Length, entry.modifiedAt);
}

export function writeDirectoryRecord(
  target: Uint8Array,
  at: number,
  entry: ZipEntry,
  headerStart: number,
): void {
  const view = viewOf(target);
  const zip64Length = zip64ExtraLength(entry.sizeBytes, headerStart);
  const timestamped = hasTimestamp(entry);
  view.setUint32(at, 0x02014b50, true);
  view.setUint16(at + 4, MADE_BY_UNIX, true);
  writeCommonFields(view, at + 6, entry, zip64Length > 0 ? VERSION_ZIP64 : VERSION_PLAIN);
  view.setUint16(at + 30, zip64Length + (timestamped ? TIMESTAMP_BYTES : 0), true);
  // No comment, first disk, no internal attributes.
  view.setUint32(at + 32, 0);
  view.setUint16(at + 36, 0);
  view.setUint32(at + 38, (entry.isExecutable ? UNIX_MODE_EXECUTABLE : UNIX_MODE) * 0x10000, true);
  view.setUint32(at + 42, Math.min(headerStart, UINT32_MAX), true);
  target.set(entry.name, at + DIRECTORY_RECORD_BYTES);
  const extra = at + DIRECTORY_RECORD_BYTES + entry.name.length;
  if (zip64Length > 0) writeZip64Extra(view, extra, largeValues(entry.sizeBytes, headerStart));
  if (timestamped) writeTimestamp(view, extra + zip64Length, entry.modifiedAt);
}

export function writeEnd(target: Uint8Array, at: number, directory: DirectoryFacts): void {
  const view = viewOf(target);
  const zip64 = needsZip64End(directory);
  if (zip64) writeZip64End(view, at, directory);
  const end = zip64 ? at + ZIP64_END_BYTES + ZIP64_LOCATOR_BYTES : at;
  const count = Math.min(directory.count, UINT16_MAX);
  view.setUint32(end, 0x06054b50, true);
  view.setUint32(end + 4, 0);
  view.setUint16(end + 8, count, true);
  view.setUint16(end + 10, count, true);
  view.setUint32(end + 12, Math.min(directory.sizeBytes, UINT32_MAX), true);
  view.setUint32(end + 16, Math.min(directory.start, UINT32_MAX), true);
  view.setUint16(end + 20, 0);
}

function viewOf({ buffer, byteOffset, byteLength }: Uint8Array): DataView {
  return new DataView(buffer, byteOffset, byteLength);
}

/** Values beyond 32 bits, in the order of the zip64 extra (4.5.3). */
function largeValues(sizeBytes: number, headerStart: number): number[] {
  return [
    ...(isLarge(sizeBytes) ? [sizeBytes, sizeBytes] : []),
    ...(isLarge(headerStart) ? [headerStart] : []),
  ];
}

function zip64ExtraLength(sizeBytes: number, headerStart: number): number {
  if (!isLarge(sizeBytes) && !isLarge(headerStart)) return 0;
  return 4 + (isLarge(sizeBytes) ? 16 : 0) + (isLarge(headerStart) ? 8 : 0);
}

/** 24 bytes, from version needed to name length. */
function writeCommonFields(view: DataView, at: number, entry: ZipEntry, version: number): void {
  const size = Math.min(entry.sizeBytes, UINT32_MAX);
  const { time, date } = toDosTime(entry.modifiedAt);
  view.setUint16(at, version, true);
  view.setUint16(at + 2, UTF8_NAMES, true);
  view.setUint16(at + 4, 0);
  view.setUint16(at + 6, time, true);
  view.setUint16(at + 8, date, true);
  view.setUint32(at + 10, entry.crc32, true);
  view.setUint32(at + 14, size, true);
  view.setUint32(at + 18, size, true);
  view.setUint16(at + 22, entry.name.length, true);
}

function writeZip64Extra(view: DataView, at: number, values: number[]): void {
  view.setUint16(at, 1, true);
  view.setUint16(at + 2, values.length * 8, true);
  for (const [index, value] of values.entries()) setUint64(view, at + 4 + index * 8, value);
}

function writeTimestamp(view: DataView, at: number, modifiedAt: number): void {
  view.setUint16(at, TIMESTAMP_ID, true);
  view.setUint16(at + 2, TIMESTAMP_BYTES - 4, true);
  view.setUint8(at + 4, TIMESTAMP_FLAGS);
  view.setUint32(at + 5, Math.floor(modifiedAt / 1000), true);
}

function needsZip64End({ count, start, sizeBytes }: DirectoryFacts): boolean {
  return count >= UINT16_MAX || isLarge(start) || isLarge(sizeBytes);
}

function writeZip64End(view: DataView, at: number, { count, start, sizeBytes }: DirectoryFacts): void {
  view.setUint32(at, 0x06064b50, true);
  setUint64(view, at + 4, ZIP64_END_BYTES - 12);
  view.setUint16(at + 12, MADE_BY_UNIX, true);
  view.setUint16(at + 14, VERSION_ZIP64, true);
  setUint64(view, at + 16, 0);
  setUint64(view, at + 24, count);
  setUint64(view, at + 32, count);
  setUint64(view, at + 40, sizeBytes);
  setUint64(view, at + 48, start);
  const locator = at + ZIP64_END_BYTES;
  view.setUint32(locator, 0x07064b50, true);
  view.setUint32(locator + 4, 0);
  setUint64(view, locator + 8, start + sizeBytes);
  view.setUint32(locator + 16, 1, true);
}

function setUint64(view: DataView, at: number, value: number): void {
  view.setUint32(at, value % 0x100000000, true);
  view.setUint32(at + 4, Math.floor(value / 0x100000000), true);
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
