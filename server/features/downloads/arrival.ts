import type { FastifyInstance } from 'fastify';
import {
  READERS_SHOWN,
  type Reader,
  viewArrival,
  viewReaders,
} from '../../../contracts/transfers/arrival.ts';
import { MINUTE_MS } from '../../../contracts/values/durations.ts';
import type { Context } from '../../context.ts';
import type { Db } from '../../platform/db/open.ts';
import { PresentedAnswer } from '../../platform/http/routing/presented-answer.ts';
import { route } from '../../platform/http/routing/route.ts';
import { toIso, toIsoOrNull } from '../../platform/lib/clock.ts';
import { readArrival, requireOwnTransfer } from '../transfers/index.ts';
import { openTransfer } from './access.ts';
import { readGrant } from './cookies.ts';
import type { RunningDownloads } from './delivery/delivery.ts';

/** A running download of another process records its progress once a minute. */
const ACTIVE_MS = 2 * MINUTE_MS;

export function arrivalRoutes(app: FastifyInstance, context: Context, running: RunningDownloads): void {
  route(app, viewArrival, async ({ params: { token }, request }) => {
    const share = await openTransfer(context, token, { grant: readGrant(request), request });
    const { progress } = await readArrival(context, share.id);
    return PresentedAnswer.conditional(viewArrival, progress);
  });

  route(app, viewReaders, async ({ params: { id: transferId }, user }) => {
    await requireOwnTransfer(context, { transferId, userId: user.id });
    const { progress: arrival } = await readArrival(context, transferId);
    const readers = await listReaders(context, running, transferId);
    return PresentedAnswer.conditional(viewReaders, { arrival, readers });
  });
}

async function listReaders(
  { db, clock }: Context,
  running: RunningDownloads,
  transferId: string,
): Promise<Reader[]> {
  const now = clock.now();
  return (await listDownloads(db, transferId)).map((row) => {
    const sizeBytes = row.sizeBytes ?? row.reachedBytes;
    const live = running.findSentBytes(row.id);
    const isRecent = row.activeAt !== null && now - row.activeAt < ACTIVE_MS;
    return {
      id: row.id,
      recipientEmail: row.recipientEmail,
      fileId: row.fileId,
      startedAt: toIso(row.downloadedAt),
      completedAt: toIsoOrNull(row.completedAt),
      isActive: row.completedAt === null && (live !== undefined || isRecent),
      sentBytes: row.completedAt === null ? Math.min(live ?? row.reachedBytes, sizeBytes) : sizeBytes,
      sizeBytes,
    };
  });
}

function listDownloads(db: Db, transferId: string) {
  return db
    .selectFrom('downloads')
    .leftJoin('transferRecipients as by', 'by.id', 'downloads.recipientId')
    .select([
      'downloads.id',
      'fileId',
      'downloads.downloadedAt',
      'completedAt',
      'activeAt',
      'reachedBytes',
      'sizeBytes',
      'by.email as recipientEmail',
    ])
    .where('downloads.transferId', '=', transferId)
    .orderBy('downloads.downloadedAt', 'desc')
    .orderBy('downloads.id', 'desc')
    .limit(READERS_SHOWN)
    .execute();
}
