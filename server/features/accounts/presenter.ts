import type { CurrentUser } from '../../../contracts/accounts/accounts.ts';
import type { UserRow } from '../../platform/db/schema.ts';
import { toIso } from '../../platform/lib/clock.ts';

/** What a user may know of themselves; storage keys, payment ids and the hash stay inside. */
export function presentCurrentUser(user: UserRow): CurrentUser {
  return {
    id: user.id,
    name: user.name,
    username: user.username,
    email: user.email,
    emailVerified: user.emailVerified === 1,
    isAdmin: user.isAdmin === 1,
    tier: user.tier,
    createdAt: toIso(user.createdAt),
  };
}
