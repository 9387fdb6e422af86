import type { Coupon, Customer, Metadata, Price, Product } from './objects.ts';
import type { Shop } from './shop.ts';
import { Refusal } from './wire.ts';

type Person = { email?: string; name?: string; metadata?: Metadata };

export function createCustomer(shop: Shop, { email = '', name = '', metadata = {} }: Person): Customer {
  return shop.add<Customer>({
    id: shop.newId('customer'),
    object: 'customer',
    created: shop.now(),
    email: email || null,
    name: name || null,
    metadata,
    invoice_settings: { default_payment_method: null },
  });
}

export function updateCustomer(customer: Customer, { metadata = {}, ...person }: Person): Customer {
  Object.assign(customer, person);
  Object.assign(customer.metadata, metadata);
  return customer;
}

type NewProduct = { id?: string; name: string; metadata?: Metadata };

export function createProduct(
  shop: Shop,
  { id = shop.newId('product'), name, metadata = {} }: NewProduct,
): Product {
  refuseTaken(shop, 'Product', id);
  return shop.add<Product>({ id, object: 'product', created: shop.now(), name, metadata });
}

type NewPrice = {
  product: string;
  currency: string;
  unit_amount: string;
  lookup_key?: string;
  transfer_lookup_key?: string;
  recurring?: { interval: string };
  metadata?: Metadata;
};

export function createPrice(shop: Shop, wish: NewPrice): Price {
  const product = shop.get('product', wish.product, 'product');
  const holder = shop
    .list('price')
    .find(({ lookup_key }) => lookup_key !== null && lookup_key === wish.lookup_key);
  if (holder && wish.transfer_lookup_key !== 'true') {
    throw new Refusal(400, { message: `A price (\`${holder.id}\`) already uses that lookup key.` });
  }
  if (holder) holder.lookup_key = null;
  return shop.add<Price>({
    id: shop.newId('price'),
    object: 'price',
    created: shop.now(),
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
  duration?: string;
  name?: string;
  applies_to?: { products: string[] };
};

export function createCoupon(shop: Shop, wish: NewCoupon): Coupon {
  const { id = shop.newId('coupon') } = wish;
  refuseTaken(shop, 'Coupon', id);
  if (wish.name !== undefined && wish.name.length > 40) {
    throw new Refusal(400, { message: 'Invalid string: must be at most 40 characters', param: 'name' });
  }
  const { applies_to = null } = wish;
  for (const product of applies_to?.products ?? []) shop.get('product', product, 'applies_to[products]');
  return shop.add<Coupon>({
    id,
    object: 'coupon',
    created: shop.now(),
    applies_to,
    percent_off: Number(wish.percent_off),
    duration: wish.duration ?? 'once',
    name: wish.name ?? null,
    valid: true,
  });
}

function refuseTaken(shop: Shop, kind: string, id: string): void {
  if (shop.any(id)) {
    throw new Refusal(400, { code: 'resource_already_exists', message: `${kind} already exists.` });
  }
}
