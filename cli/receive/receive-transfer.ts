import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { CommandError, EXIT } from '../../command-line/exit-codes.ts';
import type { Screen } from '../progress/screen.ts';
import { toOneLine } from '../progress/words.ts';
import { ByteReader, type DownloadHead, downloadBytes, type Link } from './download.ts';
import type { ReceiveJournal, StartedFile, UnfinishedReceive } from './journal.ts';
import { fetchChecksums } from './share.ts';
import { moveIntoPlace, StagedFile } from './staged-files.ts';
import { readZippedFile } from './zip-reader.ts';

export type ReceiveContext = Link & { journal: ReceiveJournal; screen: Screen; isForced: boolean };

/** How the files were verified: by the server's SHA-256, by the CRC-32 in the zip, or only by their length. */
type Verified = 'sha256' | 'crc32' | 'length';
export type ReceivedTransfer = { folder: string; files: string[]; bytes: number; verified: Verified };

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
  const files = state.files.map(({ name }) => name);
  await moveIntoPlace({ from: stagingFolder(state), to: state.to, isForced }, files);
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
  const position = started ? state.begun!.dataStart + started.length : state.position;
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
  const path = join(stagingFolder(state), state.files[index]!.name);
  const length = await stat(path).then(
    (found) => found.size,
    () => 0,
  );
  return await StagedFile.open(path, { keepBytes: Math.min(length, size), hasCrc32: crc32 !== undefined });
}

async function receiveZip(context: ReceiveContext, zip: ByteReader): Promise<void> {
  const { files, sums } = context.journal.state;
  for (;;) {
    const zipped = await readZippedFile(zip);
    const index = sums.length;
    if (!zipped || index >= files.length) break;
    if (zipped.size !== files[index]!.size)
      throw new CommandError(EXIT.failed, 'The zip does not contain the files that the transfer lists.');
    await receiveFile(context, zip, { ...zipped, index });
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
  const { size = sizeBytes } = context.journal.state.files[0]!;
  if (size !== sizeBytes)
    throw new CommandError(EXIT.failed, 'The file does not have the size that the transfer lists.');
  await receiveFile(context, bytes, { index: 0, dataStart: 0, size: sizeBytes, crc32: undefined });
}

async function receiveFile(context: ReceiveContext, bytes: ByteReader, file: StartedFile): Promise<void> {
  const { journal } = context;
  const { state } = journal;
  const path = join(stagingFolder(state), state.files[file.index]!.name);
  const staged = await StagedFile.open(path, { hasCrc32: file.crc32 !== undefined });
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
  { journal }: ReceiveContext,
  bytes: ByteReader,
  { staged, size, crc32, index }: StartedFile & { staged: StagedFile },
): Promise<void> {
  for await (const piece of bytes.stream(size - staged.length)) staged.write(piece);
  const sums = staged.sums();
  if (crc32 !== undefined && sums.crc32 !== crc32) throw toDamagedError(journal.state, index);
  await journal.recordFinished(sums.sha256, bytes.position);
}

/** Fetches SHA-256 sums that the server had not computed when the download began. */
async function verify({ journal, api, signal }: ReceiveContext): Promise<Verified> {
  const { files, sums, token, kind } = journal.state;
  const expected = files.map(({ sha256 }) => sha256 ?? undefined);
  if (files.some(({ sha256, place }) => sha256 === null && place !== undefined)) {
    const checksums = await fetchChecksums(api, token, signal).catch(() => []);
    for (const [index, { place }] of files.entries()) expected[index] ??= checksums[place ?? -1]?.sha256;
  }
  const wrong = sums.findIndex((sum, index) => expected[index] !== undefined && expected[index] !== sum);
  if (wrong !== -1) throw toDamagedError(journal.state, wrong);
  if (expected.every((sum) => sum !== undefined)) return 'sha256';
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
