import Stripe from 'stripe';
import { SECOND_MS } from '../../../contracts/values/durations.ts';
import type { Clock } from '../../../server/platform/lib/clock.ts';
import { eventTypes } from './events.ts';
import { objectsOf } from './objects.ts';
import type { Invoice, Subscription } from './records.ts';
import { type Kind, newHex, noSuch, type Wire } from './wire.ts';

export type StripeEvent = {
  id: string;
  object: 'event';
  api_version: string;
  created: number;
  data: { object: { object: string } };
  livemode: false;
  pending_webhooks: number;
  request: { id: null; idempotency_key: null };
  type: string;
};

/** How subscriptions change over time. Passed in to avoid a circular import: these rules change the account. */
type Lifecycle = {
  nextMoment(subscription: Subscription): number;
  pass(account: StripeAccount, subscription: Subscription, moment: number): void;
};

const STORED: Kind[] = ['customer', 'product', 'price', 'coupon', 'discount'];

/**
 * All objects of one Stripe account. Kinds in `STORED` are stored as they were sent. All other objects are computed
 * from the subscriptions, which follow the demo provider's lifecycle.
 */
export class StripeAccount {
  readonly events: StripeEvent[] = [];
  readonly subscriptions: Subscription[] = [];
  /** Whether a card from a setup intent becomes that of the subscription or only that of the customer. */
  givesCardToSubscription = true;
  /** Tests can replace this to change objects before they are read. */
  rewrite: (object: Wire) => Wire = (object) => object;
  readonly #clock: Pick<Clock, 'now'>;
  readonly #lifecycle: Lifecycle;
  readonly #stored = new Map<string, Wire>();
  /** While `catchUp` runs, the moment at which the current change was due. */
  #moment: number | undefined;

  constructor(clock: Pick<Clock, 'now'>, lifecycle: Lifecycle) {
    this.#clock = clock;
    this.#lifecycle = lifecycle;
  }

  /** Epoch milliseconds rounded down to seconds, the precision of Stripe. */
  now(): number {
    return this.#moment ?? Math.floor(this.#clock.now() / SECOND_MS) * SECOND_MS;
  }

  /** Performs the changes that became due since the last call, in order. */
  catchUp(): void {
    const now = this.now();
    for (;;) {
      const [next] = this.subscriptions
        .map((subscription) => ({ subscription, moment: this.#lifecycle.nextMoment(subscription) }))
        .filter(({ moment }) => moment <= now)
        .sort((one, other) => one.moment - other.moment);
      if (!next) return;
      this.#moment = next.moment;
      try {
        this.#lifecycle.pass(this, next.subscription, next.moment);
        this.publish(next.subscription);
      } finally {
        this.#moment = undefined;
      }
    }
  }

  add<K extends Kind>(object: Wire<K>): Wire<K> {
    this.#stored.set(object.id, object);
    return object;
  }

  list<K extends Kind>(kind: K): Wire<K>[] {
    const all = STORED.includes(kind) ? [...this.#stored.values()] : this.#compute();
    return all
      .filter(({ object }) => object === kind)
      .sort((one, other) => createdOf(one) - createdOf(other))
      .reverse()
      .map((object) => this.rewrite(object) as Wire<K>);
  }

  find(id: string): Wire | undefined {
    const object = this.#stored.get(id) ?? this.#compute().find((computed) => computed.id === id);
    return object && this.rewrite(object);
  }

  /** Throws Stripe's refusal if there is none. `param` names the parameter that contains the ID. */
  get<K extends Kind>(kind: K, id: string, param?: string): Wire<K> {
    const object = this.find(id);
    if (object?.object !== kind) throw noSuch(kind, id, param);
    return object as Wire<K>;
  }

  getSubscription(id: string, param?: string): Subscription {
    const subscription = this.subscriptions.find(({ row }) => row.id === id);
    if (!subscription) throw noSuch('subscription', id, param);
    return subscription;
  }

  getInvoice(id: string): { subscription: Subscription; invoice: Invoice } {
    for (const subscription of this.subscriptions) {
      const invoice = subscription.invoices.find((each) => each.id === id);
      if (invoice) return { subscription, invoice };
    }
    throw noSuch('invoice', id);
  }

  #compute(): Wire[] {
    return this.subscriptions.flatMap((subscription) => objectsOf(this, subscription));
  }

  /** Emits events for all changes of a subscription and its objects since the last call. */
  publish(subscription: Subscription): void {
    for (const object of objectsOf(this, subscription)) {
      const before = subscription.published.get(object.id);
      for (const type of eventTypes(before, object)) this.emit(type, object);
      subscription.published.set(object.id, object);
    }
  }

  /** Emits an event with the current state of the object. */
  emit(type: string, object: { object: string }): StripeEvent {
    const event: StripeEvent = {
      id: `evt_${newHex()}`,
      object: 'event',
      api_version: Stripe.API_VERSION,
      created: this.now() / SECOND_MS,
      data: { object: structuredClone(object) },
      livemode: false,
      pending_webhooks: 1,
      request: { id: null, idempotency_key: null },
      type,
    };
    this.events.push(event);
    return event;
  }
}

function createdOf(object: Wire): number {
  return 'created' in object ? (object.created ?? 0) : 0;
}
