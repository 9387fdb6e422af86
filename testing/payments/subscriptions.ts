import { getCurrentUser } from '../../contracts/accounts/accounts.ts';
import {
  confirmDemoPayment as confirm,
  createSubscription,
  getSubscription,
  paymentWebhook,
} from '../../contracts/plans/billing.ts';
import { DAY_MS } from '../../contracts/values/durations.ts';
import type { SubscriptionRow } from '../../server/platform/db/schema.ts';
import { AppError } from '../../server/platform/lib/app-error.ts';
import { confirmDemoPayment } from '../../server/platform/payments/demo/provider.ts';
import type { PaymentEvent, PaymentProvider } from '../../server/platform/payments/provider.ts';
import type { Client } from '../calls/client.ts';
import { renewSessions } from '../calls/renewed-sessions.ts';
import type { CastName } from '../cast.ts';
import type { TestServer } from '../test-context.ts';

export const CARDS = {
  pays: '4242 4242 4242 4242',
  isDeclined: '4000 0000 0000 0002',
  failsLater: '4000 0000 0000 0341',
} as const;

export async function pay(client: Client, clientSecret: string, cardNumber: string = CARDS.pays) {
  await client.call(confirm, { body: { clientSecret, cardNumber, expiry: '12/40', cvc: '123' } });
}

/** Starts a subscription, pays for it and returns it. */
export async function subscribe(
  client: Client,
  { card = CARDS.pays, ...wish }: { tier: 'pro' | 'premium'; couponCode?: string; card?: string },
) {
  const { clientSecret } = await client.call(createSubscription, { body: wish });
  await pay(client, clientSecret, card);
  return client.call(getSubscription);
}

export async function tierOf(client: Client): Promise<string | undefined> {
  return (await client.call(getCurrentUser)).tier;
}

/** Advances the clock by days, runs all jobs that became due and keeps sessions valid. */
export function passDays(server: TestServer, days: number): Promise<void> {
  return moveDays(server, () => server.clock.advance(days * DAY_MS));
}

/** Like `passDays`, but sets the wall clock ahead without time passing. */
export function jumpDays(server: TestServer, days: number): Promise<void> {
  return moveDays(server, () => server.clock.jump(days * DAY_MS));
}

async function moveDays(server: TestServer, move: () => void): Promise<void> {
  await server.drainJobs();
  move();
  await renewSessions(server);
  await server.drainJobs();
}

export async function listSubscriptions(
  { context, userId }: TestServer,
  name: CastName,
): Promise<SubscriptionRow[]> {
  return context.db
    .selectFrom('subscriptions')
    .selectAll()
    .where('userId', '=', userId(name))
    .orderBy('createdAt')
    .execute();
}

export async function mailKinds(server: TestServer): Promise<string[]> {
  return (await server.mails()).map(({ kind }) => kind);
}

/** Makes these methods of the provider fail. Returns a function that restores them. */
export function breakPayments({ context }: TestServer, ...methods: (keyof PaymentProvider)[]): () => void {
  const whole = { ...context.payments };
  const refuse = () => Promise.reject(new AppError('payments_unavailable'));
  for (const method of methods) Object.assign(context.payments, { [method]: refuse });
  return () => void Object.assign(context.payments, whole);
}

/** Starts a Pro subscription of frida. Returns the provider's subscription ID. */
export async function beginPro(server: TestServer, caller: Client): Promise<string> {
  await caller.call(createSubscription, { body: { tier: 'pro' } });
  return (await listSubscriptions(server, 'frida'))[0]!.providerSubscriptionId;
}

/** Pays at the provider without an event to this server. */
export async function payAtProvider({ context }: TestServer, id: string): Promise<void> {
  const { clientSecret } = (await context.payments.findOpenPayment(id))!;
  const { customerId } = (await context.payments.findSubscription(id))!;
  const card = { number: CARDS.pays.replaceAll(' ', ''), expiry: '12/40' };
  await confirmDemoPayment(context, { clientSecret, customerId, card });
}

/** Makes the server accept unsigned events. Returns a function that posts an event and returns the status. */
export function acceptEvents(server: TestServer) {
  server.context.payments.readEvent = (body) => JSON.parse(body.toString()) as PaymentEvent;
  return async (event: Partial<PaymentEvent>): Promise<number> => {
    const whole = {
      type: 'test',
      createdAt: server.clock.now(),
      subscriptionId: null,
      customerId: null,
      paymentId: null,
    };
    const answer = await server.anonymous().fetch(paymentWebhook.path, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ ...whole, ...event }),
    });
    return answer.status;
  };
}
