import { createSubscription } from '../../contracts/plans/billing.ts';
import { DAY_MS } from '../../contracts/values/durations.ts';
import type { Client } from '../calls/client.ts';
import { removeAccount } from '../calls/left-of-account.ts';
import { renewSessions } from '../calls/renewed-sessions.ts';
import type { TestServer } from '../test-context.ts';
import { createCoupon } from './coupons.ts';
import type { StripeFake } from './stripe/fake.ts';
import { CARDS } from './subscriptions.ts';

/** A server that uses the fake as its payment provider, and a subscriber. */
export type PaymentWorld = { server: TestServer; fake: StripeFake; frida: Client };

/** A change at Stripe or on the server. After its events are delivered, the subscriber's plan is `tier`. */
type Step = { act: (world: PaymentWorld) => Promise<void> | void; tier: 'free' | 'pro' | 'premium' };

export type Story = {
  name: string;
  steps: Step[];
  /** Whether the server's sweep must run, because Stripe sends no event at the end of the grace period. */
  isSwept?: boolean;
};

const { pays, failsLater } = { pays: digits(CARDS.pays), failsLater: digits(CARDS.failsLater) };

const begin = (plan: 'pro' | 'premium', couponCode?: string): Step => ({
  act: async ({ frida }) => {
    await frida.call(createSubscription, { body: { tier: plan, couponCode } });
  },
  tier: 'free',
});

const pay = (tier: Step['tier'], card = pays): Step => ({
  act: ({ fake }) => fake.confirm(findSecret(fake), card),
  tier,
});

const pass = (days: number, tier: Step['tier']): Step => ({
  act: async ({ server }) => {
    server.clock.advance(days * DAY_MS);
    await renewSessions(server);
  },
  tier,
});

/** A change at the provider, for example on its own pages. The server only gets the events. */
const change = (
  tier: Step['tier'],
  act: (payments: TestServer['context']['payments'], id: string) => Promise<unknown>,
): Step => ({
  act: async ({ server, fake }) => {
    await act(server.context.payments, subscriptionOf(fake).id);
  },
  tier,
});

const PRO = { tier: 'pro', priceCents: 999 } as const;
const PREMIUM = { tier: 'premium', priceCents: 2499 } as const;

const cancel = change('pro', (payments, id) => payments.setCancelAtPeriodEnd(id, true));
const resume = change('pro', (payments, id) => payments.setCancelAtPeriodEnd(id, false));

export const STORIES: Story[] = [
  { name: 'activation', steps: [begin('pro'), pay('pro')] },
  { name: 'renewal', steps: [begin('pro'), pay('pro'), pass(31, 'pro'), pass(31, 'pro')] },
  {
    name: 'free months, then the first charge',
    steps: [
      { act: ({ server }) => addCoupon(server), tier: 'free' },
      begin('pro', 'HALF'),
      pay('pro'),
      pass(32, 'pro'),
    ],
  },
  {
    name: 'a failed payment, then paid',
    steps: [begin('pro'), pay('pro', failsLater), pass(31, 'pro'), pay('pro'), pass(31, 'pro')],
  },
  {
    name: 'a failed payment to the end of grace',
    steps: [begin('pro'), pay('pro', failsLater), pass(31, 'pro'), pass(5, 'pro'), pass(3, 'free')],
    isSwept: true,
  },
  {
    name: 'a failed payment that Stripe gives up',
    steps: [begin('pro'), pay('pro', failsLater), pass(31, 'pro'), pass(20, 'free')],
  },
  { name: 'cancellation', steps: [begin('pro'), pay('pro'), cancel, pass(31, 'free')] },
  { name: 'resume', steps: [begin('pro'), pay('pro'), cancel, resume, pass(31, 'pro')] },
  {
    name: 'upgrade',
    steps: [
      begin('pro'),
      pay('pro'),
      pass(10, 'pro'),
      change('premium', (payments, id) => payments.upgrade(id, PREMIUM)),
      pass(25, 'premium'),
    ],
  },
  {
    name: 'downgrade at period end',
    steps: [
      begin('premium'),
      pay('premium'),
      change('premium', (payments, id) => payments.schedule(id, PRO)),
      pass(31, 'pro'),
    ],
  },
  {
    name: 'refund',
    steps: [
      begin('pro'),
      pay('pro'),
      pass(31, 'pro'),
      { act: ({ fake }) => fake.refund(latestInvoice(fake)), tier: 'free' },
      pass(31, 'free'),
    ],
  },
  {
    name: 'dispute',
    steps: [
      begin('pro'),
      pay('pro'),
      { act: ({ fake }) => fake.dispute(latestInvoice(fake)), tier: 'free' },
      pass(31, 'free'),
    ],
  },
];

/** Separate from the stories, because a deleted user has no tier to check. */
export const DELETION: Step[] = [
  begin('pro'),
  pay('pro'),
  { act: ({ frida }) => removeAccount(frida), tier: 'free' },
];

export function subscriptionOf(fake: StripeFake) {
  return fake.account.list('subscription')[0]!;
}

function findSecret(fake: StripeFake): string {
  const { pending_setup_intent: setupId, latest_invoice: invoiceId } = subscriptionOf(fake);
  if (setupId) return fake.account.get('setup_intent', String(setupId)).client_secret!;
  return fake.account.get('invoice', String(invoiceId)).confirmation_secret!.client_secret!;
}

function latestInvoice(fake: StripeFake): string {
  return fake.account.list('invoice').find(({ status }) => status === 'paid')!.id;
}

async function addCoupon({ context }: TestServer): Promise<void> {
  await createCoupon(context, { discountPercent: 25, freeMonths: 1 });
}

function digits(cardNumber: string): string {
  return cardNumber.replaceAll(' ', '');
}
