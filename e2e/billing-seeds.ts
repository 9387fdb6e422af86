import { randomBytes } from 'node:crypto';
import type { JourneyServer } from './journey-server.ts';

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

/** A coupon as an administrator makes it; returns its code. */
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
