import type { Selectable } from 'kysely';
import type { Db, Trx } from '../../db/open.ts';
import type { DemoInvoicesTable, Instant } from '../../db/schema.ts';
import { transaction } from '../../db/transaction.ts';
import { AppError } from '../../lib/app-error.ts';
import type { Clock } from '../../lib/clock.ts';
import { randomId } from '../../lib/tokens.ts';
import { advance, type Charge, type Course, type DemoRow } from './course.ts';

/** The demo's own books: its subscriptions and invoices, as Stripe would keep them. */
export type Books = { db: Db; clock: Clock };

export type DemoInvoice = Selectable<DemoInvoicesTable>;

/** A subscription as it stands now; what time has brought is written. Undefined for an unknown one. */
export async function look({ db, clock }: Books, id: string): Promise<DemoRow | undefined> {
  const row = await db.selectFrom('demoSubscriptions').selectAll().where('id', '=', id).executeTakeFirst();
  if (!row || advance(row, clock.now()).row === row) return row;
  return change({ db, clock }, id, (course) => course);
}

/**
 * Changes a subscription as it stands now: `rule` gets its row and says what becomes of it. It is kept for
 * this transaction, so each change is judged by the one before. Throws AppError `payment_not_found` for an
 * unknown one, and what the rule throws; then nothing is written.
 */
export function change(
  { db, clock }: Books,
  id: string,
  rule: (course: Course, now: Instant, trx: Trx) => Course | Promise<Course>,
): Promise<DemoRow> {
  const now = clock.now();
  return transaction(db, async (trx) => {
    const before = await lockSubscription(trx, id);
    if (!before) throw new AppError('payment_not_found');
    const course = await rule(advance(before, now), now, trx);
    await writeCourse(trx, course, before);
    return course.row;
  });
}

/** A write that changes nothing: both engines keep the row for this transaction until it ends. */
function lockSubscription(trx: Trx, id: string): Promise<DemoRow | undefined> {
  return trx
    .updateTable('demoSubscriptions')
    .set((eb) => ({ status: eb.ref('status') }))
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst();
}

async function writeCourse(trx: Trx, { row, charges }: Course, before: DemoRow): Promise<void> {
  if (row !== before) {
    const { id, ...columns } = row;
    await trx.updateTable('demoSubscriptions').set(columns).where('id', '=', id).execute();
  }
  for (const charge of charges) await insertInvoice(trx, row, charge);
  if (row.status === 'ended') await settleOpenInvoices(trx, row.id, 'void');
}

/** Once, however often it is called. The first invoice, if there is one, has the subscription's own secret. */
export function insertSubscription(db: Db, { row, charges }: Course): Promise<void> {
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

/** Whose payment or card set-up this is, if it is this customer's. */
export async function findBySecret(
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

/** How the invoice of this secret stands; undefined for a card set-up, which has none. */
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

export function findSubscriptionsOf(db: Db, customerId: string): Promise<{ id: string }[]> {
  return db
    .selectFrom('demoSubscriptions')
    .select('id')
    .where('customerId', '=', customerId)
    .where('status', '!=', 'ended')
    .execute();
}

export function findInvoicesOf(db: Db, customerId: string, limit: number): Promise<DemoInvoice[]> {
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

/** 50 random bits: two at once need not wait for each other as counting would make them. */
function newNumber(): string {
  const text = randomId().toUpperCase();
  return `DEMO-${text.slice(0, 5)}-${text.slice(5, 10)}`;
}
