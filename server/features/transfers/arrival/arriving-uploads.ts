import type { TransferFile } from '../../../../contracts/transfers/transfers.ts';
import type { Db } from '../../../platform/db/open.ts';
import { findNextPosition, readFileWindows } from '../../../platform/db/queries/file-windows.ts';
import { prepare } from '../../../platform/db/queries/prepared.ts';
import type { TransferRow, UploadRow } from '../../../platform/db/schema.ts';
import { toIso, toIsoOrNull } from '../../../platform/lib/clock.ts';

const ARRIVING = [
  'id',
  'position',
  'fileName',
  'relativePath',
  'mimeType',
  'modifiedAt',
  'isExecutable',
  'sizeBytes',
  'createdAt',
  'storageKey',
  'offset',
  'firstSlot',
  'chunkSize',
  'chunkCount',
] as const satisfies (keyof UploadRow)[];

export type ArrivingUpload = Pick<UploadRow, (typeof ARRIVING)[number]>;

/** Positions in `(after, upTo]`, in order. */
export const listArrivingUploads = prepare((db, transferId: string, after: number, upTo: number) =>
  db
    .selectFrom('uploads')
    .select(ARRIVING)
    .where('transferId', '=', transferId)
    .where('state', '=', 'open')
    .where('position', '>', after)
    .where('position', '<=', upTo)
    .orderBy('position'),
);

const selectNextOpen = prepare((db, transferId: string, after: number) =>
  db
    .selectFrom('uploads')
    .select('position')
    .where('transferId', '=', transferId)
    .where('state', '=', 'open')
    .where('position', '>', after)
    .orderBy('position')
    .limit(1),
);

export async function findNextOpenPosition(
  db: Db,
  transferId: string,
  after: number,
): Promise<number | undefined> {
  const [next] = await selectNextOpen(db, transferId, after);
  return next?.position;
}

/**
 * Complete files and open uploads, in the order that the complete transfer will have, one window of positions at a time.
 * `listFiles` reads the files of positions in `(after, upTo]`.
 */
export function readArrivingWindows<File extends { id: string; position: number }>(
  db: Db,
  {
    transferId,
    after,
    listFiles,
  }: { transferId: string; after: number; listFiles: (after: number, upTo: number) => Promise<File[]> },
): AsyncGenerator<(File | ArrivingUpload)[]> {
  const read = async (from: number, upTo: number) => {
    // Uploads first: one that is completed in between appears twice, and the file wins.
    const uploads = await listArrivingUploads(db, transferId, from, upTo);
    const files = await listFiles(from, upTo);
    const complete = new Set(files.map(({ id }) => id));
    const rows = [...files, ...uploads.filter(({ id }) => !complete.has(id))];
    return rows.sort((a, b) => a.position - b.position);
  };
  const findNext = (from: number) => findNextAnnounced(db, transferId, from);
  return readFileWindows(db, { transferId, after, read, findNext });
}

/** Of a complete file or an open upload. */
export async function findNextAnnounced(
  db: Db,
  transferId: string,
  after: number,
): Promise<number | undefined> {
  const open = await findNextOpenPosition(db, transferId, after);
  const complete = await findNextPosition(db, transferId, after);
  if (open === undefined || complete === undefined) return open ?? complete;
  return Math.min(open, complete);
}

const selectArriving = prepare((db, transferId: string, uploadId: string) =>
  db
    .selectFrom('uploads')
    .select(ARRIVING)
    .where('id', '=', uploadId)
    .where('transferId', '=', transferId)
    .where('state', '=', 'open'),
);

export async function findArrivingUpload(
  db: Db,
  { transferId, uploadId }: { transferId: string; uploadId: string },
): Promise<ArrivingUpload | undefined> {
  const [upload] = await selectArriving(db, transferId, uploadId);
  return upload;
}

/** An arriving file has the id and position that it keeps once it is complete. */
export function presentArrivingUpload(row: ArrivingUpload, receivedBytes: number): TransferFile {
  return {
    id: row.id,
    originalName: row.fileName,
    relativePath: row.relativePath,
    mimeType: row.mimeType,
    size: row.sizeBytes,
    uploadedAt: toIso(row.createdAt),
    modifiedAt: toIsoOrNull(row.modifiedAt),
    isExecutable: row.isExecutable === 1,
    downloadCount: 0,
    position: row.position,
    sha256: null,
    isDamaged: false,
    isChecking: false,
    preview: null,
    thumbnail: false,
    state: 'arriving',
    receivedBytes,
  };
}

type Announced = Pick<TransferRow, 'status' | 'fileCount' | 'totalBytes' | 'expectedFiles' | 'reservedBytes'>;

/** Number and bytes of the files that recipients see: while the transfer is arriving, of all announced files. */
export function countShownFiles(transfer: Announced): Pick<TransferRow, 'fileCount' | 'totalBytes'> {
  const { status, fileCount, totalBytes, expectedFiles, reservedBytes } = transfer;
  if (status !== 'arriving') return { fileCount, totalBytes };
  return { fileCount: expectedFiles ?? fileCount, totalBytes: reservedBytes };
}

/** The times of the file that the upload will become. */
export function toAnnouncedFile<Upload extends Pick<UploadRow, 'createdAt'>>(upload: Upload) {
  return { ...upload, uploadedAt: upload.createdAt, announcedAt: upload.createdAt };
}
