import { DEFAULT_SIGN_IN_POLICY, SignInPolicy } from '../../../../contracts/accounts/sign-in/policy.ts';
import type { Context } from '../../../context.ts';
import type { Db, Trx } from '../../../platform/db/open.ts';
import type { UserRow } from '../../../platform/db/schema.ts';
import { selectSetting, upsertSetting } from '../../../platform/db/settings.ts';
import { randomId } from '../../../platform/lib/tokens.ts';

const KEY = 'sign-in-policy';
/** So that requests need no query. Other processes apply a change within this time. */
const KEPT_MS = 5_000;

type Kept = { policy: SignInPolicy; until: number };
const kept = new WeakMap<Db, Kept>();

/** The rules of signing in, at most five seconds old. */
export async function getSignInPolicy({ db, clock }: Pick<Context, 'db' | 'clock'>): Promise<SignInPolicy> {
  const now = clock.now();
  const known = kept.get(db);
  // A clock that was set back must not keep old rules.
  if (known && now < known.until && known.until <= now + KEPT_MS) return known.policy;
  const [row] = await selectSetting(db, KEY);
  const policy = row
    ? SignInPolicy.parse({ ...DEFAULT_SIGN_IN_POLICY, ...JSON.parse(row.value) })
    : DEFAULT_SIGN_IN_POLICY;
  kept.set(db, { policy, until: now + KEPT_MS });
  return policy;
}

/** Whether the user may only set up a second factor, because the administrator requires one. */
export async function mustAddFactor(
  deps: Pick<Context, 'db' | 'clock'>,
  { hasSecondFactor, isAdmin }: Pick<UserRow, 'hasSecondFactor' | 'isAdmin'>,
): Promise<boolean> {
  if (hasSecondFactor) return false;
  const { secondFactor } = await getSignInPolicy(deps);
  return secondFactor === 'everyone' || (secondFactor === 'administrators' && isAdmin === 1);
}

/** Call `forgetSignInPolicy` after the commit. */
export async function saveSignInPolicy(
  { db: trx, clock }: Pick<Context, 'clock'> & { db: Trx },
  policy: SignInPolicy,
): Promise<void> {
  await upsertSetting(trx, {
    id: randomId(),
    key: KEY,
    value: JSON.stringify(policy),
    updatedAt: clock.now(),
  });
}

/** So that this process applies a change at once. */
export function forgetSignInPolicy({ db }: Pick<Context, 'db'>): void {
  kept.delete(db);
}
