import type { Invoice, PaymentStart, Subscription } from '../../../contracts/plans/billing.ts';
import type { Context } from '../../context.ts';
import type { SubscriptionRow } from '../../platform/db/schema.ts';
import { claimTry } from '../../platform/http/rate-limits.ts';
import { AppError } from '../../platform/lib/app-error.ts';
import { DAY_MS, SECOND_MS } from '../../platform/lib/clock.ts';
import { lookAtCurrent } from './current.ts';
import { isRunning } from './entitlement.ts';
import { findOpenAmount, listInvoicesOf } from './invoice-queries.ts';
import { presentFormer, presentInvoice, presentPayment, presentSubscription } from './presenter.ts';
import { findCurrentSubscription, findFormerSubscription, findTier } from './queries.ts';
import { refresh } from './sync.ts';

const INVOICES_SHOWN = 100;
const LOOK_INTERVAL_MS = 2 * SECOND_MS;
const ATTEMPT_LIVES_MS = DAY_MS;

/**
 * The caller's plan and how it goes on. Where the provider may know more, it is asked, at most every two seconds:
 * who has just paid sees it also when no event reaches this server.
 */
export async function viewSubscription(context: Context, userId: string): Promise<Subscription> {
  const { db, payments } = context;
  const known = await findCurrentSubscription(db, userId, payments.name);
  if (known && (await isWorthALook(context, known))) {
    const key = `look-at-payment:${userId}`;
    if (!(await claimTry(context, { key, limit: 1, windowMs: LOOK_INTERVAL_MS })))
      await refresh(context, known);
  }
  return presentCurrent(context, userId);
}

/** What is written here about a user's subscription. */
export async function presentCurrent(context: Context, userId: string): Promise<Subscription> {
  const { db, payments } = context;
  const tier = await findTier(db, userId);
  const former = payments.name === 'off' ? await findFormerSubscription(db, userId) : undefined;
  if (former) return presentFormer(context, former, tier);
  return presentSubscription(context, await findCurrentSubscription(db, userId, payments.name), tier);
}

async function isWorthALook({ db, clock }: Context, row: SubscriptionRow): Promise<boolean> {
  const now = clock.now();
  if (row.status === 'incomplete') return row.createdAt > now - ATTEMPT_LIVES_MS;
  if (row.status === 'ended') return row.endedAt === null;
  if (row.status === 'past_due' || (row.renewsAt ?? 0) <= now) return true;
  return (await findOpenAmount(db, row.providerSubscriptionId)) !== undefined;
}

/**
 * What the browser needs to pay what a failed payment has left open. Throws AppError `no_subscription`,
 * `nothing_to_pay`, `payments_unavailable`.
 */
export async function openPayment(context: Context, userId: string): Promise<PaymentStart> {
  const row = await lookAtCurrent(context, userId);
  if (!row || !isRunning(row)) throw new AppError('no_subscription');
  const payment = await context.payments.findOpenPayment(row.providerSubscriptionId);
  if (!payment) throw new AppError('nothing_to_pay');
  return presentPayment(context, payment);
}

/** The caller's invoices, the newest first. */
export async function viewInvoices({ db }: Pick<Context, 'db'>, userId: string): Promise<Invoice[]> {
  return (await listInvoicesOf(db, userId, INVOICES_SHOWN)).map(presentInvoice);
}
