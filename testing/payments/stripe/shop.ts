import { randomBytes } from 'node:crypto';
import Stripe from 'stripe';
import { type Clock, SECOND_MS } from '../../../server/platform/lib/clock.ts';
import type { ObjectOf, StripeEvent, StripeObject } from './objects.ts';
import { noSuch } from './wire.ts';

const PREFIXES: Record<StripeObject['object'], string> = {
  customer: 'cus',
  product: 'prod',
  price: 'price',
  coupon: 'coupon',
  discount: 'di',
  payment_method: 'pm',
  subscription: 'sub',
  invoice: 'in',
  invoice_payment: 'inpay',
  payment_intent: 'pi',
  setup_intent: 'seti',
  charge: 'ch',
  subscription_schedule: 'sub_sched',
};

/** Everything one account at Stripe holds, in the order in which it was made. */
export class Shop {
  readonly events: StripeEvent[] = [];
  /** By payment method: how it behaves. */
  readonly cardNumbers = new Map<string, string>();
  /** Whether a card that was set up becomes its subscription's own, or is the customer's only. */
  givesCardToSubscription = true;
  readonly #clock: Pick<Clock, 'now'>;
  readonly #objects = new Map<string, StripeObject>();
  /** While what is due in the past is caught up with, time is the moment at which it was due. */
  #moment: number | undefined;

  constructor(clock: Pick<Clock, 'now'>) {
    this.#clock = clock;
  }

  /** Epoch seconds, as all of Stripe's instants. */
  now(): number {
    return this.#moment ?? this.present();
  }

  present(): number {
    return Math.floor(this.#clock.now() / SECOND_MS);
  }

  at(moment: number, act: () => void): void {
    this.#moment = moment;
    try {
      act();
    } finally {
      this.#moment = undefined;
    }
  }

  newId(kind: StripeObject['object'] | 'item' | 'line' | 'event'): string {
    const prefix = { item: 'si', line: 'il', event: 'evt', ...PREFIXES }[kind];
    return `${prefix}_${randomBytes(12).toString('hex')}`;
  }

  add<T extends StripeObject>(object: T): T {
    this.#objects.set(object.id, object);
    return object;
  }

  find<K extends StripeObject['object']>(kind: K, id: string | null): ObjectOf<K> | undefined {
    const object = id === null ? undefined : this.#objects.get(id);
    return object?.object === kind ? (object as ObjectOf<K>) : undefined;
  }

  /** Throws Stripe's answer; `param` names the parameter that holds the id. */
  get<K extends StripeObject['object']>(kind: K, id: string | null, param?: string): ObjectOf<K> {
    const object = this.find(kind, id);
    if (!object) throw noSuch(kind, String(id), param);
    return object;
  }

  any(id: string): StripeObject | undefined {
    return this.#objects.get(id);
  }

  /** The newest first. */
  list<K extends StripeObject['object']>(kind: K): ObjectOf<K>[] {
    return [...this.#objects.values()]
      .filter((object): object is ObjectOf<K> => object.object === kind)
      .reverse();
  }

  remove(id: string): void {
    this.#objects.delete(id);
  }

  /** Events carry the object as it is at that moment. */
  emit(type: string, object: { object: string }): StripeEvent {
    const event: StripeEvent = {
      id: this.newId('event'),
      object: 'event',
      api_version: Stripe.API_VERSION,
      created: this.now(),
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
