import type { Trx } from '../../platform/db/open.ts';

/** A page of a list that is walked by id. */
export type Page = { after: string; limit: number };

/** A transfer that is there, with its owner as mails need to know them; undefined when either is gone. */
export async function findSubject(trx: Trx, transferId: string) {
  return await trx
    .selectFrom('transfers')
    .innerJoin('users', 'users.id', 'transfers.userId')
    .leftJoin('userPreferences', 'userPreferences.userId', 'users.id')
    .select([
      'transfers.id',
      'transfers.token',
      'transfers.title',
      'transfers.receivedFrom',
      'transfers.createdAt',
      'transfers.expiresAt',
      'transfers.fileCount',
      'transfers.totalBytes',
      'transfers.downloadCount',
      'users.id as ownerId',
      'users.name as ownerName',
      'users.email as ownerEmail',
      'users.emailVerified',
      'users.tier',
      'users.isAdmin',
      'userPreferences.emailOnDownload',
      'userPreferences.emailOnView',
      'userPreferences.emailOnExpiry',
    ])
    .where('transfers.id', '=', transferId)
    .where('transfers.status', '=', 'ready')
    .where('users.deletedAt', 'is', null)
    .executeTakeFirst();
}
export type Subject = NonNullable<Awaited<ReturnType<typeof findSubject>>>;
