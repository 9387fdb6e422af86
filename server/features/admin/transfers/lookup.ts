import type { FateCause, Whereabouts } from '../../../../contracts/admin/lookup.ts';
import type { Context } from '../../../context.ts';
import type { Db } from '../../../platform/db/open.ts';
import type { FateRow } from '../../../platform/db/schema.ts';
import { toIso, toIsoOrNull } from '../../../platform/lib/clock.ts';
import { isExpired, listTransferFates, listUploadFates, transferIdOf } from '../../transfers/index.ts';

const HISTORY_MAX = 20;

type Deps = Pick<Context, 'db' | 'clock'>;

const UNKNOWN: Whereabouts = {
  kind: null,
  state: 'unknown',
  transferId: null,
  uploadId: null,
  owner: null,
  sizeBytes: null,
  receivedBytes: null,
  createdAt: null,
  expiresAt: null,
  lastActivityAt: null,
  history: [],
};

/**
 * Describes a transfer or upload, or how it ended. `text` is a transfer id, an upload id, a share token, or a URL with
 * one of them in its path. Takes a few index lookups.
 */
export async function findWhereabouts({ db, clock }: Deps, text: string): Promise<Whereabouts> {
  const key = parseKey(text);
  const transfer = (await findTransfer(db, 'id', key)) ?? (await findTransfer(db, 'token', key));
  if (transfer) return describeTransfer({ db, clock }, transfer);
  const upload = await findUpload(db, key);
  if (upload?.state === 'open') return describeOpenUpload({ db }, upload);
  const file = await findFile(db, key);
  if (file) return describeFile({ db, clock }, file);
  const ofUpload = await listUploadFates(db, key, HISTORY_MAX);
  if (ofUpload.length > 0) return describeGone({ db, clock }, 'upload', ofUpload);
  const ofTransfer = await listTransferFates(db, key, HISTORY_MAX);
  if (ofTransfer.length > 0) return describeGone({ db, clock }, 'transfer', ofTransfer);
  return UNKNOWN;
}

function parseKey(text: string): string {
  const [path = ''] = text.trim().split(/[?#]/);
  return path.split('/').filter(Boolean).at(-1) ?? '';
}

async function describeTransfer({ db, clock }: Deps, transfer: FoundTransfer): Promise<Whereabouts> {
  return {
    ...UNKNOWN,
    kind: 'transfer',
    state: stateOf(transfer, clock.now()),
    transferId: transfer.id,
    owner: (await findUsername(db, transfer.userId)) ?? null,
    sizeBytes: Number(transfer.reservedBytes),
    createdAt: toIso(transfer.createdAt),
    expiresAt: toIsoOrNull(transfer.expiresAt),
    history: presentFates(await listTransferFates(db, transfer.id, HISTORY_MAX)),
  };
}

function stateOf(transfer: FoundTransfer, now: number): Whereabouts['state'] {
  if (transfer.status === 'deleting') return 'removing';
  if (transfer.status === 'draft') return 'draft';
  if (transfer.takenDownAt !== null) return 'taken-down';
  if (transfer.status === 'arriving') return 'arriving';
  if (isExpired(transfer, now)) return 'expired';
  if (transfer.scanState === 'blocked') return 'blocked';
  if (transfer.scanState !== null && transfer.scanState !== 'partial') return 'checking';
  return (transfer.scheduledAvailableAt ?? 0) > now ? 'scheduled' : 'ready';
}

/** An upload of a transfer being deleted is reported as being removed, as its sender sees it. */
async function describeOpenUpload({ db }: Pick<Deps, 'db'>, upload: FoundUpload): Promise<Whereabouts> {
  const transfer = await findTransfer(db, 'id', upload.transferId);
  const isGoing = !transfer || transfer.status === 'deleting';
  return {
    ...UNKNOWN,
    kind: 'upload',
    state: isGoing ? 'removing' : 'open',
    transferId: upload.transferId,
    uploadId: upload.id,
    owner: (await findUsername(db, upload.userId)) ?? null,
    sizeBytes: Number(upload.sizeBytes),
    receivedBytes: Number(upload.receivedBytes),
    createdAt: toIso(upload.createdAt),
    lastActivityAt: toIso(upload.lastActivityAt),
    expiresAt: toIsoOrNull(transfer?.expiresAt ?? null),
    history: isGoing ? presentFates(await listTransferFates(db, upload.transferId, HISTORY_MAX)) : [],
  };
}

type FoundFile = NonNullable<Awaited<ReturnType<typeof findFile>>>;

/** A completed upload has the state of its transfer. */
async function describeFile({ db, clock }: Deps, file: FoundFile): Promise<Whereabouts> {
  const transfer = await findTransfer(db, 'id', transferIdOf(file.transferId));
  const whereabouts = transfer ? await describeTransfer({ db, clock }, transfer) : UNKNOWN;
  const isPublic = ['ready', 'draft', 'arriving'].includes(whereabouts.state);
  return {
    ...whereabouts,
    kind: 'upload',
    state: isPublic ? 'complete' : whereabouts.state,
    uploadId: file.id,
    sizeBytes: Number(file.sizeBytes),
    createdAt: toIso(file.uploadedAt),
  };
}

async function describeGone(
  { db }: Deps,
  kind: 'transfer' | 'upload',
  fates: FateRow[],
): Promise<Whereabouts> {
  const [latest] = fates;
  return {
    ...UNKNOWN,
    kind,
    state: 'gone',
    transferId: latest!.transferId,
    uploadId: latest!.uploadId,
    owner: (await findUsername(db, latest!.ownerId)) ?? null,
    history: presentFates(fates),
  };
}

function presentFates(fates: FateRow[]): Whereabouts['history'] {
  return fates.map(({ cause, at }) => ({ cause: cause as FateCause, at: toIso(at) }));
}

const OF_TRANSFER = [
  'id',
  'userId',
  'status',
  'createdAt',
  'expiresAt',
  'scheduledAvailableAt',
  'takenDownAt',
  'scanState',
  'reservedBytes',
] as const;

function findTransfer(db: Db, by: 'id' | 'token', value: string) {
  return db.selectFrom('transfers').select(OF_TRANSFER).where(by, '=', value).executeTakeFirst();
}
type FoundTransfer = NonNullable<Awaited<ReturnType<typeof findTransfer>>>;

function findUpload(db: Db, id: string) {
  return db
    .selectFrom('uploads')
    .select([
      'id',
      'userId',
      'transferId',
      'state',
      'sizeBytes',
      'receivedBytes',
      'createdAt',
      'lastActivityAt',
    ])
    .where('id', '=', id)
    .executeTakeFirst();
}
type FoundUpload = NonNullable<Awaited<ReturnType<typeof findUpload>>>;

/** A file has the same id as its upload. */
function findFile(db: Db, id: string) {
  return db
    .selectFrom('files')
    .select(['id', 'transferId', 'sizeBytes', 'uploadedAt'])
    .where('id', '=', id)
    .executeTakeFirst();
}

async function findUsername(db: Db, id: string): Promise<string | undefined> {
  const row = await db
    .selectFrom('users')
    .select('username')
    .where('id', '=', id)
    .where('deletedAt', 'is', null)
    .executeTakeFirst();
  return row?.username;
}
