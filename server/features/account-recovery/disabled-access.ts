import type { DisableAccess } from '../accounts/index.ts';
import { disableKeysOf } from '../api-keys/index.ts';
import { disableWebhooksOf } from '../webhooks/index.ts';

/**
 * Disables a user's API keys and webhooks in the transaction of an account recovery. They are kept and listed with
 * the reason, so that their owner can enable them again one by one: a key is refused from its next call on, and a
 * webhook delivers nothing any more, not even what is waiting.
 */
export const disableAccess: DisableAccess = async ({ db: trx, clock }, { id }, recoveryReason) => {
  const recovery = { recoveryReason, disabledAt: clock.now() };
  await disableKeysOf(trx, id, recovery);
  await disableWebhooksOf(trx, id, recovery);
};
