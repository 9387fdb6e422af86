import type { Db, Trx } from '../db/open.ts';

/** The address takes no more mails that senders cause; codes and security mails still come. */
export async function addOptOut(db: Db | Trx, email: string, now: number): Promise<void> {
  await db
    .insertInto('mailOptOuts')
    .values({ emailKey: toKey(email), createdAt: now })
    .onConflict((conflict) => conflict.column('emailKey').doNothing())
    .execute();
}

export async function removeOptOut(db: Db | Trx, email: string): Promise<void> {
  await db.deleteFrom('mailOptOuts').where('emailKey', '=', toKey(email)).execute();
}

export async function hasOptedOut(db: Db | Trx, email: string): Promise<boolean> {
  return (await findOptOut(db, email)) !== undefined;
}

/** Since when the address takes no mails that senders cause. */
export async function findOptOut(db: Db | Trx, email: string): Promise<number | undefined> {
  const row = await db
    .selectFrom('mailOptOuts')
    .select('createdAt')
    .where('emailKey', '=', toKey(email))
    .executeTakeFirst();
  return row?.createdAt;
}

function toKey(email: string): string {
  return email.toLowerCase();
}
