import type { Selectable } from 'kysely';
import type { Db, Trx } from '../../db/open.ts';
import type { DemoInvoicesTable } from '../../db/schema/billing.ts';
import type { Instant } from '../../db/schema/column-types.ts';
import { transaction } from '../../db/transaction.ts';
import { AppError } from '../../lib/app-error.ts';
import type { Clock } from '../../lib/clock.ts';
import { randomId } from '../../lib/tokens.ts';
import { advance, type Charge, type DemoRow, type Outcome } from './lifecycle.ts';

export type Books = { db: Db; clock: Clock };

export type DemoInvoice = Selectable<DemoInvoicesTable>;

/** Brings the row up to date first. Undefined for an unknown id. */
export async function findCurrent({ db, clock }: Books, id: string): Promise<DemoRow | undefined> {
  const row = await db.selectFrom('demoSubscriptions').selectAll().where('id', '=', id).executeTakeFirst();
  if (!row || advance(row, clock.now()).row === row) return row;
  return updateSubscription({ db, clock }, id, (outcome) => outcome);
}

/**
 * Locks the row in a transaction; `rule` maps the current row to the new one. Throws AppError
 * `payment_not_found`, and what the rule throws; nothing is written then.
 */
export function updateSubscription(
  { db, clock }: Books,
  id: string,
  rule: (outcome: Outcome, now: Instant, trx: Trx) => Outcome | Promise<Outcome>,
): Promise<DemoRow> {
  const now = clock.now();
  return transaction(db, async (trx) => {
    const before = await lockSubscription(trx, id);
    if (!before) throw new AppError('payment_not_found');
    const outcome = await rule(advance(before, now), now, trx);
    await writeOutcome(trx, outcome, before);
    return outcome.row;
  });
}

/** A no-op update, because SQLite has no `for update`. */
function lockSubscription(trx: Trx, id: string): Promise<DemoRow | undefined> {
  return trx
    .updateTable('demoSubscriptions')
    .set((eb) => ({ status: eb.ref('status') }))
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst();
}

async function writeOutcome(trx: Trx, { row, charges }: Outcome, before: DemoRow): Promise<void> {
  if (row !== before) {
    const { id, ...columns } = row;
    await trx.updateTable('demoSubscriptions').set(columns).where('id', '=', id).execute();
  }
  for (const charge of charges) await insertInvoice(trx, row, charge);
  if (row.status === 'ended') await settleOpenInvoices(trx, row.id, 'void');
}

/** Does nothing if the id exists. The first invoice gets the subscription's client secret. */
export function insertSubscription(db: Db, { row, charges }: Outcome): Promise<void> {
  return transaction(db, async (trx) => {
    const { numInsertedOrUpdatedRows } = await trx
      .insertInto('demoSubscriptions')
      .values(row)
      .onConflict((conflict) => conflict.column('id').doNothing())
      .executeTakeFirst();
    if (!numInsertedOrUpdatedRows) return;
    for (const charge of charges) await insertInvoice(trx, row, charge, row.clientSecret);
  });
}

async function insertInvoice(
  trx: Trx,
  row: DemoRow,
  charge: Charge,
  clientSecret = newSecret(),
): Promise<void> {
  await trx
    .insertInto('demoInvoices')
    .values({
      ...charge,
      id: `demo_inv_${randomId()}`,
      customerId: row.customerId,
      subscriptionId: row.id,
      clientSecret,
      number: newNumber(),
    })
    .execute();
}

export async function settleOpenInvoices(
  trx: Trx,
  subscriptionId: string,
  status: 'paid' | 'void',
): Promise<void> {
  await trx
    .updateTable('demoInvoices')
    .set({ status })
    .where('subscriptionId', '=', subscriptionId)
    .where('status', '=', 'open')
    .execute();
}

export function findOpenInvoice(db: Db, subscriptionId: string): Promise<DemoInvoice | undefined> {
  return db
    .selectFrom('demoInvoices')
    .selectAll()
    .where('subscriptionId', '=', subscriptionId)
    .where('status', '=', 'open')
    .orderBy('createdAt', 'desc')
    .executeTakeFirst();
}

export async function findIdBySecret(
  db: Db,
  { clientSecret, customerId }: { clientSecret: string; customerId: string },
): Promise<string | undefined> {
  const invoice = await db
    .selectFrom('demoInvoices')
    .select('subscriptionId as id')
    .where('clientSecret', '=', clientSecret)
    .where('customerId', '=', customerId)
    .executeTakeFirst();
  const found =
    invoice ??
    (await db
      .selectFrom('demoSubscriptions')
      .select('id')
      .where('clientSecret', '=', clientSecret)
      .where('customerId', '=', customerId)
      .executeTakeFirst());
  return found?.id;
}

/** Undefined for a card set-up, which has no invoice. */
export async function findInvoiceStatus(
  db: Db,
  clientSecret: string,
): Promise<DemoInvoice['status'] | undefined> {
  const row = await db
    .selectFrom('demoInvoices')
    .select('status')
    .where('clientSecret', '=', clientSecret)
    .executeTakeFirst();
  return row?.status;
}

export async function listRunningIds(db: Db, customerId: string): Promise<string[]> {
  const rows = await db
    .selectFrom('demoSubscriptions')
    .select('id')
    .where('customerId', '=', customerId)
    .where('status', '!=', 'ended')
    .execute();
  return rows.map(({ id }) => id);
}

export function listInvoices(db: Db, customerId: string, limit: number): Promise<DemoInvoice[]> {
  return db
    .selectFrom('demoInvoices')
    .selectAll()
    .where('customerId', '=', customerId)
    .orderBy('createdAt', 'desc')
    .orderBy('id')
    .limit(limit)
    .execute();
}

export function newSecret(): string {
  return `demo_secret_${randomId()}`;
}

/** Random (50 bits), so that concurrent inserts don't wait for a counter. */
function newNumber(): string {
  const text = randomId().toUpperCase();
  return `DEMO-${text.slice(0, 5)}-${text.slice(5, 10)}`;
}
