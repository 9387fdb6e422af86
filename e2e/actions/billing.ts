import { randomBytes } from 'node:crypto';
import type { Page } from '@playwright/test';
import { confirmDemoPayment, createSubscription, getSubscription } from '../../contracts/plans/billing.ts';
import { DEFAULT_TIER_CONFIG, type TierLimits, type TierName } from '../../contracts/plans/tiers.ts';
import { PAGES } from '../../contracts/values/addresses/pages.ts';
import { DAY_MS } from '../../contracts/values/durations.ts';
import type { JourneyServer } from '../servers/journey-server.ts';
import { expect } from './fixtures.ts';
import type { Member } from './people.ts';

const INSTANTS = {
  demoSubscriptions: ['periodStartsAt', 'periodEndsAt', 'freeUntil', 'failedAt', 'endedAt', 'createdAt'],
  demoInvoices: ['periodStartsAt', 'periodEndsAt', 'createdAt'],
  subscriptions: [
    ...['periodStartsAt', 'renewsAt', 'freeUntil', 'failedAt', 'graceEndsAt', 'endedAt'],
    ...['createdAt', 'updatedAt'],
  ],
  invoices: ['periodStartsAt', 'periodEndsAt', 'createdAt'],
} as const;

/** Moves everything a member pays into the past. */
export function passTime(server: JourneyServer, member: Member, ms: number): void {
  server.withDatabase((database) => {
    const owner = database.prepare('SELECT id, "paymentCustomerId" FROM users WHERE username = ?');
    const { id, paymentCustomerId } = owner.get(member.username) as Record<string, string>;
    database.exec('BEGIN IMMEDIATE');
    for (const [table, columns] of Object.entries(INSTANTS)) {
      const isDemo = table.startsWith('demo');
      const moves = columns.map((column) => `"${column}" = "${column}" - ${ms}`).join(', ');
      database
        .prepare(`UPDATE "${table}" SET ${moves} WHERE ${isDemo ? '"customerId"' : '"userId"'} = ?`)
        .run((isDemo ? paymentCustomerId : id) as string);
    }
    database.exec('COMMIT');
  });
}

/** Lets days pass, then reads the subscription, as a page or the server's own schedule does. */
export async function letPass(server: JourneyServer, member: Member, days: number): Promise<void> {
  passTime(server, member, days * DAY_MS);
  await member.client.call(getSubscription);
}

/** Fills the demo form and pays. */
export async function payWith(page: Page, cardNumber: string, submit = 'Subscribe Now'): Promise<void> {
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Card number').fill(cardNumber);
  await dialog.getByLabel('Expiry').fill('12/34');
  await dialog.getByLabel('CVC').fill('123');
  await dialog.getByRole('button', { name: submit }).click();
}

/** Opens the dialog of a plan on the pricing page. */
export async function choosePlan(page: Page, name: 'Pro' | 'Premium') {
  await page.goto(PAGES.pricing);
  await page.getByRole('button', { name: `Subscribe to ${name}` }).click();
  const dialog = page.getByRole('dialog');
  await expect(dialog).toBeVisible();
  return dialog;
}

/** Creates a subscription by the calls of the page. */
export async function subscribe(
  { client }: Member,
  tier: 'pro' | 'premium',
  { cardNumber = CARDS.pays, couponCode = undefined as string | undefined } = {},
): Promise<void> {
  const body = { tier, ...(couponCode && { couponCode }) };
  const { clientSecret } = await client.call(createSubscription, { body });
  const card = { cardNumber, expiry: '12/34', cvc: '123' };
  await client.call(confirmDemoPayment, { body: { clientSecret, ...card } });
  const { status } = await client.call(getSubscription);
  expect(['active', 'trialing']).toContain(status);
}

/** 'August 5, 2026', as pages show it in the time zone of the journeys. */
export function dayOf(instant: string | number): string {
  return new Intl.DateTimeFormat('en', { dateStyle: 'long', timeZone: 'Europe/Berlin' }).format(
    new Date(instant),
  );
}

/** Cards of the demo provider, and what happens when they are charged. */
export const CARDS = {
  pays: '4242 4242 4242 4242',
  declined: '4000 0000 0000 0002',
  failsAtRenewal: '4000 0000 0000 0341',
};

type Coupon = {
  code?: string;
  discountPercent?: number;
  freeMonths?: number;
  tier?: 'pro' | 'premium';
  maxUses?: number | null;
  currentUses?: number;
  expiresAt?: number | null;
};

/** Creates a coupon and returns its code. */
export function seedCoupon(server: JourneyServer, coupon: Coupon): string {
  const code = coupon.code ?? `SAVE${randomBytes(4).toString('hex').toUpperCase()}`;
  const { discountPercent = 0, freeMonths = 0, tier = 'pro', maxUses = null } = coupon;
  const { currentUses = 0, expiresAt = null } = coupon;
  const values = [discountPercent, freeMonths, tier, maxUses, currentUses, expiresAt, Date.now()];
  server.withDatabase((database) =>
    database
      .prepare(
        `INSERT INTO coupons (id, code, "discountPercent", "freeMonths", tier, "maxUses", "currentUses", "expiresAt", "createdAt")
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      )
      .run(code, code, ...values),
  );
  return code;
}

type Changes = Partial<Record<TierName, Partial<TierLimits & { price: number }>>>;

/** Changes limits of the plans. The next request sees them. */
export function changePlans(server: JourneyServer, changes: Changes): void {
  const { free, pro, premium } = DEFAULT_TIER_CONFIG;
  const config = {
    free: { ...free, ...changes.free },
    pro: { ...pro, ...changes.pro },
    premium: { ...premium, ...changes.premium },
  };
  server.withDatabase((database) =>
    database
      .prepare('INSERT INTO settings (id, key, value, "updatedAt") VALUES (?, ?, ?, ?)')
      .run('plans', 'tier-config', JSON.stringify(config), Date.now()),
  );
}
