import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { CommandError, EXIT } from '../../command-line/exit-codes.ts';
import { encryptedSize, SEGMENT_PLAIN_BYTES } from '../../contracts/transfers/encryption.ts';
import { DamagedSegmentError } from '../../encryption/errors.ts';
import type { TransferKeys } from '../../encryption/keys.ts';
import { openStream, sealedOffset, wholeSegments } from '../encrypted/open-stream.ts';
import type { Screen } from '../progress/screen.ts';
import { toOneLine } from '../progress/words.ts';
import { ByteReader, type DownloadHead, downloadBytes, type Link } from './download.ts';
import {
  type ExpectedFile,
  listResults,
  type ReceiveJournal,
  type StartedFile,
  type UnfinishedReceive,
} from './journal.ts';
import { fetchChecksums } from './share.ts';
import { moveIntoPlace } from './staging/place-files.ts';
import { StagedFile, type WantedSums } from './staging/staged-file.ts';
import { writeZip } from './write-zip.ts';
import { readZippedFile } from './zip-reader.ts';

export type ReceiveContext = Link & {
  journal: ReceiveJournal;
  screen: Screen;
  isForced: boolean;
  /** Of an encrypted transfer. */
  keys: TransferKeys | undefined;
};

/**
 * How the files were verified: by SHA-256; by the CRC-32 in the zip; only by their length; or by opening their segments,
 * and by the CRC-32 of their sender if it is known.
 */
type Verified = 'sha256' | 'crc32' | 'length' | 'encryption';
export type ReceivedTransfer = { folder: string; files: string[]; bytes: number; verified: Verified };

/** In the journal, of a file whose SHA-256 was not computed. */
const NO_SHA256 = '';
/** Larger files can be resumed in the middle. */
const RESUMABLE_BYTES = 1024 * 1024;

/**
 * Receives the files of a journal from where an earlier run stopped. Moves them into the folder only when all of them
 * have arrived and are verified. Throws ApiError, CommandError, or the signal's reason, and then keeps the journal.
 */
export async function receiveTransfer(context: ReceiveContext): Promise<ReceivedTransfer> {
  const { journal, isForced } = context;
  const { state } = journal;
  if (state.sums.length < state.files.length) await receiveBytes(context);
  const verified = await verify(context);
  const folder = stagingFolder(state);
  if (state.zipName !== undefined)
    await writeZip(folder, { name: state.zipName, files: state.files }, context.signal);
  const files = listResults(state);
  await moveIntoPlace({ from: folder, to: state.to, isForced }, files);
  await journal.remove();
  return { folder: state.to, files, bytes: state.totalBytes, verified };
}

/** Inside the destination folder, so that moving the files into place copies nothing. */
export function stagingFolder({ to, id }: Pick<UnfinishedReceive, 'to' | 'id'>): string {
  return join(to, `sendwell-${id}.part`);
}

async function receiveBytes(context: ReceiveContext): Promise<void> {
  const { journal, api } = context;
  const { state } = journal;
  const started = state.begun && (await reopenStarted(state, state.begun));
  const position = started ? resumePosition(state, state.begun!, started.length) : state.position;
  const firstHead = Promise.withResolvers<DownloadHead>();
  const download = { path: state.path, position, etag: state.etag };
  const bytes = downloadBytes(context, download, async (head) => {
    await journal.recordResponse(head.etag, api.cookies);
    firstHead.resolve(head);
  });
  const reader = new ByteReader(bytes, position);
  showProgress(context, reader);
  try {
    if (started) await fillFile(context, reader, { ...state.begun!, staged: started });
    if (state.kind === 'zip') await receiveZip(context, reader);
    else if (!started) await receiveSingleFile(context, reader, firstHead.promise);
  } finally {
    started?.close();
    await reader.close();
    context.screen.stop();
  }
}

async function reopenStarted(
  state: UnfinishedReceive,
  { index, size, crc32 }: StartedFile,
): Promise<StagedFile> {
  const file = state.files[index]!;
  const { name, sealed, size: plainBytes } = file;
  const path = join(stagingFolder(state), name);
  const length = await stat(path).then(
    (found) => found.size,
    () => 0,
  );
  const keepBytes = sealed ? wholeSegments(length, plainBytes!) : Math.min(length, size);
  return await StagedFile.open(path, { keepBytes, sums: wantedSums(file, crc32) });
}

function resumePosition({ files }: UnfinishedReceive, { index, dataStart }: StartedFile, length: number) {
  const { sealed, size } = files[index]!;
  return dataStart + (sealed ? sealedOffset(length, size!) : length);
}

async function receiveZip(context: ReceiveContext, zip: ByteReader): Promise<void> {
  const { files, sums } = context.journal.state;
  for (;;) {
    const zipped = await readZippedFile(zip);
    const index = sums.length;
    if (!zipped || index >= files.length) break;
    const file = files[index]!;
    if (zipped.size !== wireSize(file))
      throw new CommandError(EXIT.failed, 'The zip does not contain the files that the transfer lists.');
    await receiveFile(context, zip, {
      ...zipped,
      index,
      crc32: file.sealed ? sealedCrc32(file) : zipped.crc32,
    });
  }
  if (sums.length < files.length)
    throw new CommandError(EXIT.failed, 'The zip ended before the last file of the transfer.');
  await zip.drain();
}

async function receiveSingleFile(
  context: ReceiveContext,
  bytes: ByteReader,
  head: Promise<DownloadHead>,
): Promise<void> {
  // The download starts with the first read.
  await bytes.peek();
  const { sizeBytes } = await head;
  const file = context.journal.state.files[0]!;
  if ((wireSize(file) ?? sizeBytes) !== sizeBytes)
    throw new CommandError(EXIT.failed, 'The file does not have the size that the transfer lists.');
  await receiveFile(context, bytes, { index: 0, dataStart: 0, size: sizeBytes, crc32: sealedCrc32(file) });
}

function wireSize({ sealed, size }: ExpectedFile): number | undefined {
  return sealed && size !== undefined ? encryptedSize(size) : size;
}

function sealedCrc32({ sealed }: ExpectedFile): number | undefined {
  return sealed?.crc32 ?? undefined;
}

/** `crc32`: of the file, if it is known. Of an encrypted file, that is enough (`sumsToCheck`). */
function wantedSums({ sealed }: ExpectedFile, crc32: number | undefined): WantedSums {
  return { crc32: crc32 !== undefined, sha256: !sealed || crc32 === undefined };
}

async function receiveFile(context: ReceiveContext, bytes: ByteReader, file: StartedFile): Promise<void> {
  const { journal } = context;
  const { state } = journal;
  const expected = state.files[file.index]!;
  const path = join(stagingFolder(state), expected.name);
  const staged = await StagedFile.open(path, { sums: wantedSums(expected, file.crc32) });
  try {
    if (file.size > RESUMABLE_BYTES) {
      const { index, dataStart, size, crc32 } = file;
      await journal.recordStart({ index, dataStart, size, crc32 });
    }
    await fillFile(context, bytes, { staged, ...file });
  } finally {
    staged.close();
  }
}

async function fillFile(
  context: ReceiveContext,
  bytes: ByteReader,
  { staged, size, crc32, index }: StartedFile & { staged: StagedFile },
): Promise<void> {
  const { journal } = context;
  const file = journal.state.files[index]!;
  if (file.sealed) await fillSealed(context, bytes, { staged, file, index });
  else for await (const piece of bytes.stream(size - staged.length)) staged.write(piece);
  const sums = staged.sums();
  if (crc32 !== undefined && sums.crc32 !== crc32) throw toDamagedError(journal.state, index);
  const modifiedAt = file.modifiedAt ?? file.sealed?.modifiedAt ?? null;
  if (file.isExecutable) staged.makeExecutable();
  if (modifiedAt !== null) staged.setModifiedAt(modifiedAt);
  await journal.recordFinished(sums.sha256 ?? NO_SHA256, bytes.position);
}

/** Writes only what is authentic. Throws CommandError for the first segment that is not. */
async function fillSealed(
  { journal, keys }: ReceiveContext,
  bytes: ByteReader,
  { staged, file, index }: { staged: StagedFile; file: ExpectedFile; index: number },
): Promise<void> {
  const plainBytes = file.size!;
  if (plainBytes > 0 && staged.length === plainBytes) return;
  const place = {
    fileId: file.sealed!.fileId,
    plainBytes,
    firstSegment: staged.length / SEGMENT_PLAIN_BYTES,
  };
  try {
    for await (const piece of openStream(keys!.content, place, bytes)) staged.write(piece);
  } catch (error) {
    throw error instanceof DamagedSegmentError ? toDamagedError(journal.state, index) : error;
  }
}

/** Fetches SHA-256 sums that the server had not computed when the download began. */
async function verify({ journal, api, signal }: ReceiveContext): Promise<Verified> {
  const { files, sums, token, kind } = journal.state;
  const expected = files.map(({ sha256 }, index) =>
    sums[index] === NO_SHA256 ? undefined : (sha256 ?? undefined),
  );
  if (files.some(({ sha256, place, sealed }) => sha256 === null && place !== undefined && !sealed)) {
    const checksums = await fetchChecksums(api, token, signal).catch(() => []);
    for (const [index, { place }] of files.entries()) expected[index] ??= checksums[place ?? -1]?.sha256;
  }
  const wrong = sums.findIndex((sum, index) => expected[index] !== undefined && expected[index] !== sum);
  if (wrong !== -1) throw toDamagedError(journal.state, wrong);
  if (expected.every((sum) => sum !== undefined)) return 'sha256';
  if (files.some(({ sealed }) => sealed)) return 'encryption';
  return kind === 'zip' ? 'crc32' : 'length';
}

function toDamagedError({ files, id }: UnfinishedReceive, index: number): CommandError {
  const name = toOneLine(files[index]!.name);
  const message = `${name} arrived damaged. Run \`sendwell resume ${id} --discard\`, then receive the transfer again.`;
  return new CommandError(EXIT.failed, message, { different: [name] });
}

function showProgress({ journal: { state }, screen }: ReceiveContext, reader: ByteReader): void {
  screen.follow(() => ({
    verb: 'Receiving',
    bytes: Math.min(state.totalBytes, reader.position),
    totalBytes: state.totalBytes,
    files: state.sums.length,
    totalFiles: state.files.length,
  }));
}
