import type { ExpressionBuilder } from 'kysely';
import { TIERS, tierIncludes } from '../../../contracts/plans/tiers.ts';
import type { Database } from '../../platform/db/schema.ts';

const WITH_WEBHOOKS = TIERS.filter((tier) => tierIncludes(tier, 'webhooks'));

/** Whether a webhook is switched on and its owner's plan of today has webhooks. */
export function isSending(eb: ExpressionBuilder<Database, 'webhooks' | 'users'>) {
  return eb.and([
    eb('webhooks.isActive', '=', 1),
    eb('users.tier', 'in', WITH_WEBHOOKS),
    eb('users.deletedAt', 'is', null),
  ]);
}
