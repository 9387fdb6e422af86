import { SECOND_MS } from '../../../contracts/values/durations.ts';
import type { StripeAccount } from './account.ts';
import { newHex, Refusal, refused, type Wire } from './wire.ts';

type Person = { email?: string; name?: string; metadata?: Record<string, string> };

export function createCustomer(
  account: StripeAccount,
  { email = '', name = '', metadata = {} }: Person,
): Wire {
  return account.add<'customer'>({
    id: `cus_${newHex()}`,
    object: 'customer',
    created: account.now() / SECOND_MS,
    email: email || null,
    name: name || null,
    metadata,
    invoice_settings: { default_payment_method: null },
  });
}

export function updateCustomer(account: StripeAccount, id: string, { metadata, ...person }: Person): void {
  const customer = account.get('customer', id);
  account.add<'customer'>({
    ...customer,
    ...person,
    metadata: { ...customer.metadata, ...metadata },
  });
}

type NewProduct = { id?: string; name: string; metadata?: Record<string, string> };

export function createProduct(
  account: StripeAccount,
  { id = `prod_${newHex()}`, name, metadata = {} }: NewProduct,
) {
  refuseTaken(account, 'Product', id);
  return account.add<'product'>({
    id,
    object: 'product',
    created: account.now() / SECOND_MS,
    name,
    metadata,
  });
}

type NewPrice = {
  product: string;
  currency: string;
  unit_amount: string;
  lookup_key?: string;
  transfer_lookup_key?: string;
  recurring?: { interval: 'month' };
  metadata?: Record<string, string>;
};

export function createPrice(account: StripeAccount, wish: NewPrice): Wire {
  const product = account.get('product', wish.product, 'product');
  const holder = account
    .list('price')
    .find(({ lookup_key }) => lookup_key !== null && lookup_key === wish.lookup_key);
  if (holder && wish.transfer_lookup_key !== 'true') {
    throw refused(`A price (\`${holder.id}\`) already uses that lookup key.`);
  }
  if (holder) account.add({ ...holder, lookup_key: null });
  return account.add<'price'>({
    id: `price_${newHex()}`,
    object: 'price',
    created: account.now() / SECOND_MS,
    active: true,
    currency: wish.currency,
    product: product.id,
    unit_amount: Number(wish.unit_amount),
    lookup_key: wish.lookup_key ?? null,
    recurring: { interval: wish.recurring?.interval ?? 'month', interval_count: 1 },
    metadata: wish.metadata ?? {},
    type: 'recurring',
  });
}

type NewCoupon = {
  id?: string;
  percent_off: string;
  duration?: 'forever' | 'once' | 'repeating';
  name?: string;
  applies_to?: { products: string[] };
};

export function createCoupon(account: StripeAccount, wish: NewCoupon): Wire {
  const { id = `coupon_${newHex()}` } = wish;
  refuseTaken(account, 'Coupon', id);
  if (wish.name !== undefined && wish.name.length > 40) {
    throw new Refusal(400, { message: 'Invalid string: must be at most 40 characters', param: 'name' });
  }
  for (const product of wish.applies_to?.products ?? []) {
    account.get('product', product, 'applies_to[products]');
  }
  return account.add<'coupon'>({
    id,
    object: 'coupon',
    created: account.now() / SECOND_MS,
    applies_to: wish.applies_to,
    percent_off: Number(wish.percent_off),
    duration: wish.duration ?? 'once',
    name: wish.name ?? null,
    valid: true,
  });
}

function refuseTaken(account: StripeAccount, kind: string, id: string): void {
  if (account.find(id)) {
    throw new Refusal(400, { code: 'resource_already_exists', message: `${kind} already exists.` });
  }
}
