import assert from 'node:assert/strict';
import { paymentWebhook } from '../../contracts/plans/billing.ts';
import { MINUTE_MS } from '../../contracts/values/durations.ts';
import type { SeededRandom } from '../lib/seeded-random.ts';
import type { PaymentWorld } from '../payments/payment-stories.ts';
import type { StripeEvent } from '../payments/stripe/account.ts';

/** The way events arrive, always in random order: several times, much later, or among forged ones. */
export type Manner = 'shuffled and duplicated' | 'shuffled and delayed' | 'shuffled among forged ones';
export const MANNERS: Manner[] = [
  'shuffled and duplicated',
  'shuffled and delayed',
  'shuffled among forged ones',
];

type World = Pick<PaymentWorld, 'server' | 'fake'>;

/** Delivers Stripe's events to the server in the given manner. */
export class WebhookDelivery {
  readonly #world: World;
  readonly #manner: Manner;
  readonly #random: SeededRandom;
  readonly #delivered: StripeEvent[] = [];
  #held: StripeEvent[] = [];

  constructor(world: World, manner: Manner, random: SeededRandom) {
    this.#world = world;
    this.#manner = manner;
    this.#random = random;
  }

  /** Delivers the events since the last call. Returns whether all events so far have been delivered. */
  async deliver(): Promise<boolean> {
    const events = this.#shuffle([...this.#held, ...this.#world.fake.drainEvents()]);
    this.#held = this.#manner === 'shuffled and delayed' ? events.filter(() => this.#chance(2)) : [];
    const now = events.filter((event) => !this.#held.includes(event));
    for (const event of now) await this.#deliverOne(event);
    await this.#world.server.drainJobs();
    return this.#held.length === 0;
  }

  async deliverRest(): Promise<void> {
    for (const event of this.#shuffle(this.#held.splice(0))) await this.#deliverOne(event);
    await this.#world.server.drainJobs();
  }

  /** Delivers all events again with new signatures, as Stripe does when it retries. */
  async replay(): Promise<void> {
    for (const event of this.#shuffle([...this.#delivered])) await this.#send(event);
    await this.#world.server.drainJobs();
  }

  async #deliverOne(event: StripeEvent): Promise<void> {
    if (this.#manner === 'shuffled among forged ones') await this.#forge(event);
    this.#delivered.push(event);
    if (this.#manner !== 'shuffled and duplicated') return this.#send(event);
    const times = this.#random.between(1, 3);
    await Promise.all(Array.from({ length: times }, () => this.#send(event)));
    if (this.#chance(3)) await this.#world.server.drainJobs();
    if (this.#chance(3)) await this.#send(this.#pick(this.#delivered));
  }

  async #send(event: StripeEvent): Promise<void> {
    const { fake, server } = this.#world;
    const { body, signature } = fake.sign(event, server.clock.now());
    assert.equal(await this.#post(body, signature), 200);
  }

  /** Asserts that forged events are refused and that a signed event of an unknown subscription is accepted. */
  async #forge(event: StripeEvent): Promise<void> {
    const { fake, server } = this.#world;
    const now = server.clock.now();
    const { body, signature } = fake.sign(event, now);
    const lie = { ...event, id: `evt_lie_${event.id}`, type: 'customer.subscription.updated' };
    const forgeries: [string, string | undefined][] = [
      [body, undefined],
      [body.replace('"livemode":false', '"livemode":true'), signature],
      [body, fake.sign(event, now - 6 * MINUTE_MS).signature],
      [JSON.stringify(lie), fake.sign(lie, now, 'whsec_of_somebody_else').signature],
    ];
    assert.equal(await this.#post(...this.#pick(forgeries)), 400);
    const foreign = { object: 'subscription', id: 'sub_of_another_shop', customer: 'cus_other' };
    const stray = fake.sign({ ...lie, id: `evt_stray_${event.id}`, data: { object: foreign } }, now);
    assert.equal(await this.#post(stray.body, stray.signature), 200);
  }

  async #post(body: string, signature: string | undefined): Promise<number> {
    const response = await fetch(this.#world.server.url + paymentWebhook.path, {
      method: 'POST',
      headers: {
        'content-type': 'application/json; charset=utf-8',
        ...(signature !== undefined && { 'stripe-signature': signature }),
      },
      body,
    });
    await response.arrayBuffer();
    return response.status;
  }

  #chance(outOf: number): boolean {
    return this.#random.between(1, outOf) === 1;
  }

  #pick<T>(things: T[]): T {
    return things[this.#random.between(0, things.length - 1)]!;
  }

  #shuffle(events: StripeEvent[]): StripeEvent[] {
    return events
      .map((event) => ({ event, place: this.#random.between(0, 1_000_000) }))
      .sort((one, other) => one.place - other.place)
      .map(({ event }) => event);
  }
}
