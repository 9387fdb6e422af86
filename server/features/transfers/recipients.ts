import type { Db, Trx } from '../../platform/db/open.ts';
import type { RecipientRow } from '../../platform/db/schema.ts';
import { randomId } from '../../platform/lib/tokens.ts';

/**
 * Gives each address a row, and with it a link of its own; one that has a row keeps it. Returns the rows of
 * exactly these addresses, in their order. `now` in epoch milliseconds.
 */
export async function addRecipients(
  trx: Trx,
  transferId: string,
  emails: string[],
  now: number,
): Promise<RecipientRow[]> {
  if (emails.length === 0) return [];
  const rows = emails.map((email) => ({
    id: randomId(),
    transferId,
    email,
    emailKey: recipientKey(email),
    token: randomId(),
    createdAt: now,
  }));
  await trx
    .insertInto('transferRecipients')
    .values(rows)
    .onConflict((conflict) => conflict.columns(['transferId', 'emailKey']).doNothing())
    .execute();
  const found = new Map((await listRecipients(trx, transferId)).map((row) => [row.emailKey, row]));
  return rows.map(({ emailKey }) => found.get(emailKey)!);
}

/** Everybody a transfer was sent to, in no particular order. */
export function listRecipients(db: Db, transferId: string): Promise<RecipientRow[]> {
  return db.selectFrom('transferRecipients').selectAll().where('transferId', '=', transferId).execute();
}

/** What makes two addresses the same recipient: addresses are ASCII, compared without case. */
export function recipientKey(email: string): string {
  return email.toLowerCase();
}
