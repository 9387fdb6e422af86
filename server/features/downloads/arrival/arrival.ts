import type { FastifyInstance, FastifyRequest } from 'fastify';
import {
  askForArrivalNotice as askForArrivalNoticeCall,
  READERS_SHOWN,
  type Reader,
  viewArrival,
  viewReaders,
} from '../../../../contracts/transfers/arrival.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../../contracts/values/durations.ts';
import type { Context } from '../../../context.ts';
import type { Db } from '../../../platform/db/open.ts';
import { requireAddressWithinLimits, requireWithinLimit } from '../../../platform/http/limits/rate-limits.ts';
import { requestLanguage } from '../../../platform/http/pages/wanted-languages.ts';
import { PresentedAnswer } from '../../../platform/http/routing/presented-answer.ts';
import { route } from '../../../platform/http/routing/route.ts';
import { AppError } from '../../../platform/lib/app-error.ts';
import { toIso, toIsoOrNull } from '../../../platform/lib/clock.ts';
import { hashToken } from '../../../platform/lib/tokens.ts';
import { mailboxKey } from '../../../platform/mail/mailbox-key.ts';
import { addArrivalNotice, readArrival, requireOwnTransfer } from '../../transfers/index.ts';
import { isUsedUp, openTransfer } from '../access/access.ts';
import { readGrant } from '../access/cookies.ts';
import type { RunningDownloads } from '../delivery/delivery.ts';

/** A running download of another process records its progress once a minute. */
const ACTIVE_MS = 2 * MINUTE_MS;

const PER_ADDRESS = { key: 'arrival-notice', limit: 20, windowMs: HOUR_MS };
const PER_MAILBOX = { limit: 20, windowMs: DAY_MS };
const PER_SENDER = { limit: 200, windowMs: DAY_MS };

export function arrivalRoutes(app: FastifyInstance, context: Context, running: RunningDownloads): void {
  route(app, viewArrival, async ({ params: { token }, request }) => {
    const share = await openTransfer(context, token, { grant: readGrant(request), request });
    const { progress } = await readArrival(context, share.id);
    return PresentedAnswer.conditional(viewArrival, progress);
  });

  route(app, askForArrivalNoticeCall, ({ params: { token }, body: { email }, request }) =>
    askForArrivalNotice(context, { token, email, request }),
  );

  route(app, viewReaders, async ({ params: { id: transferId }, user }) => {
    await requireOwnTransfer(context, { transferId, userId: user.id });
    const { progress: arrival } = await readArrival(context, transferId);
    const readers = await listReaders(context, running, transferId);
    return PresentedAnswer.conditional(viewReaders, { arrival, readers });
  });
}

type Asking = { token: string; email: string; request: FastifyRequest };

/**
 * Repeated requests are counted like first ones, so that no limit reveals which addresses are known. Throws what
 * `openTransfer` and `addArrivalNotice` throw and AppError `no_mail_server`, `transfer_used_up`, `too_many_requests`.
 */
async function askForArrivalNotice(context: Context, { token, email, request }: Asking): Promise<void> {
  const share = await openTransfer(context, token, { grant: readGrant(request), request });
  if (share.status !== 'arriving') throw new AppError('already_arrived');
  if (context.mailer.keepsMails) throw new AppError('no_mail_server');
  if (isUsedUp(share)) throw new AppError('transfer_used_up');
  await requireAddressWithinLimits(context, request, PER_ADDRESS);
  const mailbox = hashToken(mailboxKey(email));
  await requireWithinLimit(context, { key: `arrival-notice:mailbox:${mailbox}`, ...PER_MAILBOX });
  await requireWithinLimit(context, { key: `arrival-notice:sender:${share.userId}`, ...PER_SENDER });
  await addArrivalNotice(context, { transferId: share.id, email, language: requestLanguage(request) });
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
