import type { Preferences } from '../../../../contracts/accounts/settings.ts';
import type { Context } from '../../../context.ts';
import type { Db } from '../../../platform/db/open.ts';
import type { Flag, Instant } from '../../../platform/db/schema/column-types.ts';
import type { UserRow } from '../../../platform/db/schema.ts';
import { randomId } from '../../../platform/lib/tokens.ts';
import { requireFeature } from '../../tiers/index.ts';

/** Users who never changed a preference have no row. */
const DEFAULTS: Preferences = {
  emailOnDownload: true,
  emailOnView: false,
  emailOnExpiry: false,
  emailOnReopenRequest: true,
};

const FLAGS = ['emailOnDownload', 'emailOnView', 'emailOnExpiry', 'emailOnReopenRequest'] as const;

const OF_PAID_PLANS = ['emailOnDownload', 'emailOnView'] as const;

export async function getPreferences({ db }: Pick<Context, 'db'>, userId: string): Promise<Preferences> {
  const flags = await findPreferences(db, userId);
  return flags ? toPreferences(flags) : DEFAULTS;
}

/**
 * Unchanged values need no plan. Throws AppError `tier_required` when a free user changes a preference of the paid
 * plans.
 */
export async function updatePreferences(
  context: Pick<Context, 'db' | 'clock'>,
  user: Pick<UserRow, 'id' | 'tier'>,
  wanted: Partial<Preferences>,
): Promise<Preferences> {
  const current = await getPreferences(context, user.id);
  const changes = Object.fromEntries(
    Object.entries(wanted).filter(([name, value]) => value !== current[name as keyof Preferences]),
  ) as Partial<Preferences>;
  if (OF_PAID_PLANS.some((name) => changes[name] !== undefined)) requireFeature(user.tier, 'notifications');
  if (Object.keys(changes).length === 0) return current;
  return writePreferences(context.db, user.id, changes, context.clock.now());
}

/** Doesn't check the plan, because everyone may unsubscribe. */
export async function writePreferences(
  db: Db,
  userId: string,
  changes: Partial<Preferences>,
  now: number,
): Promise<Preferences> {
  const flags = Object.fromEntries(Object.entries(changes).map(([name, value]) => [name, value ? 1 : 0]));
  return toPreferences(await upsertPreferences(db, { id: randomId(), userId }, { ...flags, updatedAt: now }));
}

function toPreferences(flags: PreferenceFlags): Preferences {
  return {
    emailOnDownload: flags.emailOnDownload === 1,
    emailOnView: flags.emailOnView === 1,
    emailOnExpiry: flags.emailOnExpiry === 1,
    emailOnReopenRequest: flags.emailOnReopenRequest === 1,
  };
}

type PreferenceFlags = Record<keyof Preferences, Flag>;

async function findPreferences(db: Db, userId: string): Promise<PreferenceFlags | undefined> {
  return db.selectFrom('userPreferences').select(FLAGS).where('userId', '=', userId).executeTakeFirst();
}

async function upsertPreferences(
  db: Db,
  key: { id: string; userId: string },
  changes: Partial<PreferenceFlags> & { updatedAt: Instant },
): Promise<PreferenceFlags> {
  return db
    .insertInto('userPreferences')
    .values({ ...key, ...changes })
    .onConflict((conflict) => conflict.column('userId').doUpdateSet(changes))
    .returning(FLAGS)
    .executeTakeFirstOrThrow();
}

export async function deletePreferences(db: Db, userId: string): Promise<void> {
  await db.deleteFrom('userPreferences').where('userId', '=', userId).execute();
}
