import { type Charge, confirm } from '../../../server/platform/payments/demo/lifecycle.ts';
import type { StripeAccount } from './account.ts';
import { DRAFT_MS, type Invoice, type Subscription } from './records.ts';
import { newHex, refused } from './wire.ts';

const DECLINED = '4000000000000002';

/**
 * Confirms the payment or setup intent of a client secret with a card, as Stripe's payment form does. Throws an Error
 * with the message that the form shows.
 */
export function confirmSecret(account: StripeAccount, clientSecret: string, cardNumber: string): void {
  const intent = account.find(clientSecret.split('_secret_')[0]!);
  if (intent?.object !== 'payment_intent' && intent?.object !== 'setup_intent') {
    throw new Error('No such intent');
  }
  if (intent.client_secret !== clientSecret) throw new Error('No such intent');
  if (intent.status === 'succeeded' || intent.status === 'canceled') {
    throw new Error(`This intent cannot be confirmed: it is ${intent.status}`);
  }
  const isDeclined = cardNumber === DECLINED;
  const cardLast4 = cardNumber.slice(-4);
  if (intent.object === 'payment_intent') {
    const target = account.getInvoice(intent.id.replace('pi_', 'in_'));
    if (isDeclined) target.invoice.attempts += 1;
    else pay(account, target, cardLast4);
    account.publish(target.subscription);
  } else if (!isDeclined) {
    const subscription = account.getSubscription(intent.id.replace('seti_', 'sub_'));
    setUpCard(account, subscription, cardLast4);
  }
  if (isDeclined) throw new Error('Your card was declined.');
}

function setUpCard(account: StripeAccount, subscription: Subscription, cardLast4: string): void {
  subscription.setup = { status: 'succeeded', cardLast4 };
  if (account.givesCardToSubscription) setCard(account, subscription, cardLast4);
  account.publish(subscription);
}

export function cancelSetup(account: StripeAccount, id: string): void {
  const { status } = account.get('setup_intent', id);
  if (status !== 'requires_payment_method') {
    throw refused(`You cannot cancel this SetupIntent because it has a status of ${status}.`);
  }
  const subscription = account.getSubscription(id.replace('seti_', 'sub_'));
  subscription.setup = { status: 'canceled', cardLast4: null };
  account.publish(subscription);
}

/** Voids an open invoice and drops the upgrade that waits for its payment. */
export function voidInvoice(account: StripeAccount, id: string): void {
  const { subscription, invoice } = account.getInvoice(id);
  const { status } = account.get('invoice', id);
  if (status !== 'open') {
    throw refused(`You can only void open or uncollectible invoices. This invoice is ${status}.`);
  }
  invoice.status = 'void';
  if (subscription.upgrade?.invoiceId === id) subscription.upgrade = null;
  account.publish(subscription);
}

/** Sets the card. If the subscription was waiting for its first card, this starts it. */
export function setCard(account: StripeAccount, subscription: Subscription, cardLast4: string): void {
  const { row, setup } = subscription;
  if (row.status === 'ended') return;
  const starts = row.status === 'incomplete' && setup !== null;
  subscription.row = starts ? confirm(row, cardLast4, account.now()) : { ...row, cardLast4 };
}

/** Unlike the demo, Stripe creates an invoice even if nothing is due (`charge` is undefined). */
export function addInvoice(
  account: StripeAccount,
  subscription: Subscription,
  {
    charge,
    reason,
    credit = null,
  }: Partial<Pick<Invoice, 'credit'>> & Pick<Invoice, 'reason'> & { charge: Charge | undefined },
): Invoice {
  const { tier, periodStartsAt, periodEndsAt } = subscription.row;
  const now = account.now();
  const period = { tier, periodStartsAt, periodEndsAt };
  const { status, ...rest } = charge ?? { ...period, status: 'paid', amountCents: 0, createdAt: now };
  const hex = newHex();
  const invoice: Invoice = {
    ...rest,
    id: `in_${hex}`,
    number: account.subscriptions.reduce((sum, { invoices }) => sum + invoices.length, 1),
    reason,
    status,
    clientSecret: `pi_${hex}_secret_${newHex()}`,
    credit,
    attempts: 0,
    settledAt: status === 'paid' ? now + (reason === 'subscription_cycle' ? DRAFT_MS : 0) : null,
  };
  subscription.invoices.push(invoice);
  return invoice;
}

export function pay(
  account: StripeAccount,
  { subscription, invoice }: { subscription: Subscription; invoice: Invoice },
  cardLast4: string,
): void {
  invoice.status = 'paid';
  invoice.attempts += 1;
  invoice.settledAt = account.now();
  if (subscription.upgrade?.invoiceId === invoice.id) applyUpgrade(subscription);
  const { row } = subscription;
  const isUnpaid = row.status === 'incomplete' || row.status === 'past_due';
  if (isUnpaid && subscription.invoices.every(({ status }) => status !== 'open')) {
    subscription.row = confirm(row, cardLast4, account.now());
  } else if (row.status !== 'ended') subscription.row = { ...row, cardLast4 };
}

/** Unlike the demo, Stripe keeps a schedule and a cancellation on an upgrade. */
export function applyUpgrade(subscription: Subscription): void {
  const { row: higher, endsTrial } = subscription.upgrade!;
  const { tier, priceCents, discountPercent } = higher;
  const { status, freeUntil, periodStartsAt, periodEndsAt } = endsTrial ? higher : subscription.row;
  const plan = { tier, priceCents, discountPercent };
  subscription.row = { ...subscription.row, ...plan, status, freeUntil, periodStartsAt, periodEndsAt };
  subscription.upgrade = null;
}
