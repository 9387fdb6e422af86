import { randomBytes } from 'node:crypto';
import type Stripe from 'stripe';

type Kinds = {
  customer: Stripe.Customer;
  product: Stripe.Product;
  price: Stripe.Price;
  coupon: Stripe.Coupon;
  discount: Stripe.Discount;
  payment_method: Stripe.PaymentMethod;
  subscription: Stripe.Subscription;
  invoice: Stripe.Invoice;
  invoice_payment: Stripe.InvoicePayment;
  payment_intent: Stripe.PaymentIntent;
  setup_intent: Stripe.SetupIntent;
  charge: Stripe.Charge;
  subscription_schedule: Stripe.SubscriptionSchedule;
};

type Partly<T> = T extends (infer Item)[]
  ? Partly<Item>[]
  : T extends object
    ? { [Key in keyof T]?: Partly<T[Key]> }
    : T;

export type Kind = keyof Kinds;

/** An object in Stripe's wire format with the fields of the SDK's type that the fake supports. References are IDs. */
export type Wire<K extends Kind = Kind> = K extends Kind
  ? Partly<Kinds[K]> & { id: string; object: K }
  : never;

export function newHex(): string {
  return randomBytes(12).toString('hex');
}

export class Refusal extends Error {
  readonly status: number;
  readonly body: { error: { type: string; message: string; code?: string; param?: string } };

  constructor(
    status: number,
    {
      message,
      type = 'invalid_request_error',
      ...rest
    }: Omit<Refusal['body']['error'], 'type'> & { type?: string },
  ) {
    super(message);
    this.status = status;
    this.body = { error: { type, message, ...rest } };
  }
}

/** An unknown ID is answered with 404 if it is in the path, and with 400 if it is in a parameter (`param`). */
export function noSuch(kind: string, id: string, param?: string): Refusal {
  return new Refusal(param ? 400 : 404, {
    code: 'resource_missing',
    message: `No such ${kind}: '${id}'`,
    param: param ?? 'id',
  });
}

export function refused(message: string, code?: string): Refusal {
  return new Refusal(400, { message, ...(code && { code }) });
}

/** Fails the test for what Stripe allows but the demo's lifecycle does not support. */
export function unsupported(what: string): Refusal {
  return new Refusal(501, { type: 'api_error', message: `Stripe's fake does not support ${what}.` });
}

/** One page of a list after `starting_after`. `limit` is 1 to 100 and 10 by default. */
export function toPage(
  objects: Wire[],
  { limit = '10', starting_after: after }: { limit?: string; starting_after?: string },
  url: string,
) {
  const size = Number(limit);
  if (size < 1 || size > 100) throw refused('Invalid limit: must be between 1 and 100');
  const start = after === undefined ? 0 : objects.findIndex(({ id }) => id === after) + 1;
  if (after !== undefined && start === 0) throw noSuch('object', String(after), 'starting_after');
  const data = objects.slice(start, start + size);
  return { object: 'list', data, has_more: objects.length > start + size, url };
}

/** Fields that responses contain only when `expand` names them. */
const INCLUDABLE: Partial<Record<Kind, string[]>> = {
  invoice: ['confirmation_secret', 'payments'],
  coupon: ['applies_to'],
};
const MAX_EXPANSION_DEPTH = 4;

type Json = Record<string, unknown>;
type Find = (id: string) => object | undefined;

/** The response body. References stay IDs unless `paths`, the values of `expand`, name them. `find` resolves an ID. */
export function present(object: object, paths: string[], find: Find): Json {
  const copy = withoutIncludables(structuredClone(object) as Json);
  for (const path of paths) {
    const steps = path.split('.');
    if (steps.filter((step) => step !== 'data').length > MAX_EXPANSION_DEPTH) {
      throw refused(
        `You cannot expand more than 4 levels of a property: ${path}`,
        'property_expansion_max_depth',
      );
    }
    expandAt({ target: copy, source: object as Json, steps, path }, find);
  }
  return copy;
}

type Place = { target: Json; source: Json; steps: string[]; path: string };

function expandAt({ target, source, steps, path }: Place, find: Find): void {
  const [step, ...rest] = steps;
  if (!step) return;
  if (!(step in source)) throw refused(`This property cannot be expanded (${path}).`);
  // A shorter path may already have expanded it.
  const expanded = isExpanded(target[step]) ? target[step] : expand(source[step], path, find);
  target[step] = expanded;
  const parts = Array.isArray(expanded) ? expanded : [expanded];
  for (const part of parts) {
    if (part === null || typeof part !== 'object') continue;
    const original = 'id' in part ? (find(String(part.id)) ?? part) : part;
    expandAt({ target: part as Json, source: original as Json, steps: rest, path }, find);
  }
}

function isExpanded(value: unknown): boolean {
  if (Array.isArray(value)) return value.length > 0 && value.every(isExpanded);
  return typeof value === 'object' && value !== null;
}

function expand(value: unknown, path: string, find: Find): unknown {
  if (value === null) return null;
  if (Array.isArray(value)) return value.map((part) => expand(part, path, find));
  const object = typeof value === 'object' ? value : find(String(value));
  if (!object) throw refused(`This property cannot be expanded (${path}).`);
  return withoutIncludables(structuredClone(object) as Json);
}

function withoutIncludables(value: Json): Json {
  const hidden = INCLUDABLE[value.object as Kind] ?? [];
  for (const name of hidden) delete value[name];
  if (value.object === 'list' && Array.isArray(value.data)) value.data = value.data.map(withoutIncludables);
  return value;
}
