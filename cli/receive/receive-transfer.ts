import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { CommandError, EXIT } from '../http/errors.ts';
import type { Screen } from '../progress/screen.ts';
import { toOneLine } from '../progress/words.ts';
import { ByteReader } from './byte-reader.ts';
import { fetchChecksums } from './checksums.ts';
import { type DownloadHead, downloadBytes, type Line } from './download.ts';
import type { BegunFile, ReceiveJournal, Receiving } from './journal.ts';
import { settleFiles } from './settle.ts';
import { StagedFile } from './staged-files.ts';
import { readZippedFile } from './zip-reader.ts';

export type ReceiveCourse = Line & { journal: ReceiveJournal; screen: Screen; isForced: boolean };

/** How much is sure of the files: by SHA-256 of the server, by the CRC-32 in the zip, or by the length only. */
type Verified = 'sha256' | 'crc32' | 'length';
export type ReceivedTransfer = { folder: string; files: string[]; bytes: number; verified: Verified };

/** Files above this are gone on with in their middle. */
const WORTH_KEEPING_BYTES = 1024 * 1024;

/**
 * Takes a download to its files, from wherever an earlier run left it. Nothing stands in the folder before all of it
 * has come and was found right. Throws ApiError, CommandError, or the signal's reason; then the journal stays.
 */
export async function receiveTransfer(course: ReceiveCourse): Promise<ReceivedTransfer> {
  const { journal, isForced } = course;
  const { receiving } = journal;
  if (receiving.sums.length < receiving.files.length) await receiveBytes(course);
  const verified = await verify(course);
  const files = receiving.files.map(({ name }) => name);
  await settleFiles({ from: stagingFolder(receiving), to: receiving.to, isForced }, files);
  await journal.remove();
  return { folder: receiving.to, files, bytes: receiving.totalBytes, verified };
}

/** Where the files are until they are whole, beside where they go: moving them is no copy. */
export function stagingFolder({ to, id }: Pick<Receiving, 'to' | 'id'>): string {
  return join(to, `sendwell-${id}.part`);
}

async function receiveBytes(course: ReceiveCourse): Promise<void> {
  const { journal, api } = course;
  const { receiving } = journal;
  const begun = receiving.begun && (await openBegun(receiving, receiving.begun));
  const position = begun ? receiving.begun!.dataStart + begun.length : receiving.position;
  const whole = Promise.withResolvers<DownloadHead>();
  const download = { path: receiving.path, position, etag: receiving.etag };
  const bytes = downloadBytes(course, download, async (head) => {
    await journal.noteAnswer(head.etag, api.cookies);
    whole.resolve(head);
  });
  const reader = new ByteReader(bytes, position);
  follow(course, reader);
  try {
    if (begun) await fill(course, reader, { ...receiving.begun!, staged: begun });
    if (receiving.kind === 'zip') await unpack(course, reader);
    else if (!begun) await keep(course, reader, whole.promise);
  } finally {
    await begun?.close();
    await reader.close();
    course.screen.stop();
  }
}

/** The file that an earlier run was at. */
async function openBegun(receiving: Receiving, { index, size }: BegunFile): Promise<StagedFile> {
  const path = join(stagingFolder(receiving), receiving.files[index]!.name);
  const length = await stat(path).then(
    (found) => found.size,
    () => 0,
  );
  return await StagedFile.open(path, Math.min(length, size));
}

async function unpack(course: ReceiveCourse, zip: ByteReader): Promise<void> {
  const { files, sums } = course.journal.receiving;
  for (;;) {
    const zipped = await readZippedFile(zip);
    const index = sums.length;
    if (!zipped || index >= files.length) break;
    if (zipped.size !== files[index]!.size)
      throw new CommandError(EXIT.failed, 'The zip does not hold the files that the transfer lists.');
    await receiveFile(course, zip, { ...zipped, index });
  }
  if (sums.length < files.length)
    throw new CommandError(EXIT.failed, 'The zip ended before the last file of the transfer.');
  await zip.drain();
}

async function keep(course: ReceiveCourse, bytes: ByteReader, head: Promise<DownloadHead>): Promise<void> {
  const { sizeBytes } = await beginReading(bytes, head);
  const { size = sizeBytes } = course.journal.receiving.files[0]!;
  if (size !== sizeBytes)
    throw new CommandError(EXIT.failed, 'The file is not as long as the transfer lists.');
  await receiveFile(course, bytes, { index: 0, dataStart: 0, size: sizeBytes, crc32: undefined });
}

/** Nothing is asked for before the first byte is; an empty file has none. */
async function beginReading(bytes: ByteReader, head: Promise<DownloadHead>): Promise<DownloadHead> {
  await bytes.peek();
  return await head;
}

async function receiveFile(course: ReceiveCourse, bytes: ByteReader, file: BegunFile): Promise<void> {
  const { journal } = course;
  const { receiving } = journal;
  const staged = await StagedFile.open(join(stagingFolder(receiving), receiving.files[file.index]!.name));
  try {
    if (file.size > WORTH_KEEPING_BYTES) {
      const { index, dataStart, size, crc32 } = file;
      await journal.noteBegun({ index, dataStart, size, crc32 });
    }
    await fill(course, bytes, { staged, ...file });
  } finally {
    await staged.close();
  }
}

type Filling = BegunFile & { staged: StagedFile };

async function fill({ journal }: ReceiveCourse, bytes: ByteReader, filling: Filling): Promise<void> {
  const { staged, size, crc32, index } = filling;
  for await (const piece of bytes.take(size - staged.length)) await staged.write(piece);
  const sums = staged.sums();
  if (crc32 !== undefined && sums.crc32 !== crc32) throw damaged(journal.receiving, index);
  await journal.noteWhole(sums.sha256, bytes.position);
}

/** The server may still have been computing sums when the download began. */
async function verify({ journal, api, signal }: ReceiveCourse): Promise<Verified> {
  const { files, sums, token, kind } = journal.receiving;
  const expected = files.map(({ sha256 }) => sha256 ?? undefined);
  if (files.some(({ sha256, place }) => sha256 === null && place !== undefined)) {
    const late = await fetchChecksums(api, token, signal).catch(() => []);
    for (const [index, { place }] of files.entries()) expected[index] ??= late[place ?? -1]?.sha256;
  }
  const wrong = sums.findIndex((sum, index) => expected[index] !== undefined && expected[index] !== sum);
  if (wrong !== -1) throw damaged(journal.receiving, wrong);
  if (expected.every((sum) => sum !== undefined)) return 'sha256';
  return kind === 'zip' ? 'crc32' : 'length';
}

function damaged({ files, id }: Receiving, index: number): CommandError {
  const name = toOneLine(files[index]!.name);
  const sentence = `${name} did not arrive as it was sent. Receive it again after \`sendwell resume ${id} --discard\`.`;
  return new CommandError(EXIT.failed, sentence, { different: [name] });
}

function follow({ journal: { receiving }, screen }: ReceiveCourse, reader: ByteReader): void {
  screen.follow(() => ({
    verb: 'Receiving',
    bytes: Math.min(receiving.totalBytes, reader.position),
    totalBytes: receiving.totalBytes,
    files: receiving.sums.length,
    totalFiles: receiving.files.length,
  }));
}
