import { tierIncludes } from '../../../contracts/plans/tiers.ts';
import type { Context } from '../../context.ts';
import type { Trx } from '../../platform/db/open.ts';
import { firstFileName } from '../../platform/db/queries/first-file.ts';
import { PUBLIC_STATUSES } from '../../platform/db/queries/public-transfers.ts';
import { transaction } from '../../platform/db/transaction.ts';
import type { JobRun } from '../../platform/jobs/define-job.ts';
import type { Notice } from './emails.ts';

export async function findSubject(trx: Trx, transferId: string) {
  return await trx
    .selectFrom('transfers')
    .innerJoin('users', 'users.id', 'transfers.userId')
    .leftJoin('userPreferences', 'userPreferences.userId', 'users.id')
    .select([
      'transfers.id',
      'transfers.token',
      'transfers.title',
      'transfers.encryption',
      'transfers.receivedFrom',
      'transfers.createdAt',
      'transfers.expiresAt',
      'transfers.fileCount',
      'transfers.totalBytes',
      'transfers.downloadCount',
      'transfers.maxDownloads',
      firstFileName,
      'users.id as ownerId',
      'users.name as ownerName',
      'users.email as ownerEmail',
      'users.language',
      'users.emailVerified',
      'users.tier',
      'users.isAdmin',
      'userPreferences.emailOnDownload',
      'userPreferences.emailOnView',
      'userPreferences.emailOnExpiry',
      'userPreferences.emailOnReopenRequest',
    ])
    .where('transfers.id', '=', transferId)
    .where('transfers.status', 'in', PUBLIC_STATUSES)
    .where('users.deletedAt', 'is', null)
    .executeTakeFirst();
}
type Subject = NonNullable<Awaited<ReturnType<typeof findSubject>>>;

export function wantsActivity(subject: Subject, kind: 'download' | 'view'): boolean {
  if (!subject.emailVerified || !tierIncludes(subject.tier, 'notifications')) return false;
  return (kind === 'download' ? (subject.emailOnDownload ?? 1) : (subject.emailOnView ?? 0)) === 1;
}

export function wantsEnding({ emailVerified, emailOnExpiry }: Subject): boolean {
  return emailVerified === 1 && emailOnExpiry === 1;
}

export function wantsReopenRequests({ emailVerified, emailOnReopenRequest }: Subject): boolean {
  return emailVerified === 1 && (emailOnReopenRequest ?? 1) === 1;
}

export function toNotice(
  { config, secret }: Pick<Context, 'config' | 'secret'>,
  { ownerId, ownerName, ownerEmail, language, tier, isAdmin, ...transfer }: Subject,
  now: number,
): Notice {
  const owner = { id: ownerId, name: ownerName, email: ownerEmail, language, tier, isAdmin };
  return { owner, transfer, publicUrl: config.publicUrl, secret, now };
}

const PAGE_SIZE = 200;

type Notification = {
  list(page: Page): Promise<string[]>;
  /** Marks the events and enqueues the mail in the same transaction, so that each event is reported at most once. */
  notify(trx: Trx, transferId: string): Promise<void>;
};

/** Handles each transfer in its own transaction. Logs failures; the next run retries them. */
export async function notifyEach(
  { db, log }: Pick<Context, 'db' | 'log'>,
  { signal }: Pick<JobRun, 'signal'>,
  { list, notify }: Notification,
): Promise<void> {
  for (let after = '', isLast = false; !isLast; ) {
    const ids = await list({ after, limit: PAGE_SIZE });
    for (const id of ids) {
      if (signal.aborted) return;
      await transaction(db, (trx) => notify(trx, id)).catch((error: unknown) =>
        log.warn({ err: error, transferId: id }, 'Could not send a notice; retrying in the next run.'),
      );
    }
    isLast = ids.length < PAGE_SIZE;
    after = ids.at(-1) ?? '';
  }
}

export type Page = { after: string; limit: number };
