import type { Tier } from '../server/platform/db/schema/column-types.ts';

export type Player = { name: string; username: string; email: string; tier: Tier; isAdmin: boolean };

export const PASSWORD = 'correct horse battery';

/**
 * The users of every test server: frida is on the free plan, paula on Pro, prem on Premium, and ada is the
 * administrator.
 */
export const CAST = {
  frida: { name: 'Frida Free', username: 'frida', email: 'frida@example.org', tier: 'free', isAdmin: false },
  paula: { name: 'Paula Pro', username: 'paula', email: 'paula@example.org', tier: 'pro', isAdmin: false },
  prem: {
    name: 'Prem Premium',
    username: 'prem',
    email: 'prem@example.org',
    tier: 'premium',
    isAdmin: false,
  },
  ada: { name: 'Ada Admin', username: 'ada', email: 'ada@example.org', tier: 'premium', isAdmin: true },
} as const satisfies Record<string, Player>;

export type CastName = keyof typeof CAST;
