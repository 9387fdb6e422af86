import type { UnsubscribeScope } from '../../../contracts/accounts/mail-preferences.ts';
import type { Preferences } from '../../../contracts/accounts/settings.ts';
import type { Context } from '../../context.ts';
import type { Db, Trx } from '../../platform/db/open.ts';
import { transaction } from '../../platform/db/transaction.ts';
import { AppError } from '../../platform/lib/app-error.ts';
import {
  addOptOut,
  hasOptedOut,
  readUnsubscribe,
  removeOptOut,
  type Unsubscribing,
} from '../../platform/mail/opt-outs.ts';
import { dropMailsBehind } from '../../platform/mail/outbox.ts';
import { getPreferences, writePreferences } from '../accounts/index.ts';

type Subscription = { email: string; scope: UnsubscribeScope; isUnsubscribed: boolean };

const PREFERENCES = {
  download: 'emailOnDownload',
  view: 'emailOnView',
  expiry: 'emailOnExpiry',
  reopen: 'emailOnReopenRequest',
} as const satisfies Record<Exclude<UnsubscribeScope, 'transfers'>, keyof Preferences>;

/** Changes nothing, because mail scanners open links. Throws AppError `link_void`. */
export async function findSubscription(
  context: Pick<Context, 'db' | 'secret' | 'previousSecret'>,
  token: string,
): Promise<Subscription> {
  const { email, scope, userId } = await openToken(context, token);
  if (scope === 'transfers') return { email, scope, isUnsubscribed: await hasOptedOut(context.db, email) };
  const preferences = await getPreferences(context, userId);
  return { email, scope, isUnsubscribed: !preferences[PREFERENCES[scope]] };
}

/** Also drops such mails from the outbox. Idempotent. Throws AppError `link_void`. */
export async function endSubscription(
  context: Pick<Context, 'db' | 'clock' | 'secret' | 'previousSecret'>,
  token: string,
): Promise<void> {
  const { db, clock } = context;
  const subscription = await openToken(context, token);
  const { email: recipient, scope } = subscription;
  await transaction(db, async (trx) => {
    if (scope === 'transfers') await addOptOut(trx, recipient, clock.now());
    else await writeChoice(trx, subscription, { wanted: false, now: clock.now() });
    await dropMailsBehind(trx, { recipient, unsubscribeToken: token });
  });
}

/** Idempotent. Throws AppError `link_void`. */
export async function resumeSubscription(
  context: Pick<Context, 'db' | 'clock' | 'secret' | 'previousSecret'>,
  token: string,
): Promise<void> {
  const { db, clock } = context;
  const subscription = await openToken(context, token);
  if (subscription.scope === 'transfers') await removeOptOut(db, subscription.email);
  else await writeChoice(db, subscription, { wanted: true, now: clock.now() });
}

type Opened =
  | { email: string; scope: 'transfers'; userId?: undefined }
  | { email: string; scope: keyof typeof PREFERENCES; userId: string };

/** Throws AppError `link_void` for invalid tokens and deleted accounts. */
async function openToken(
  { db, secret, previousSecret }: Pick<Context, 'db' | 'secret' | 'previousSecret'>,
  token: string,
): Promise<Opened> {
  const opened = readUnsubscribe({ secret, previousSecret }, token);
  if (!opened || !isWhole(opened)) throw new AppError('link_void');
  if (opened.scope !== 'transfers' && !(await userExists(db, opened.userId))) throw new AppError('link_void');
  return opened;
}

function isWhole(opened: Unsubscribing): opened is Opened {
  return (opened.scope === 'transfers') === (opened.userId === undefined);
}

async function writeChoice(
  db: Db | Trx,
  { userId, scope }: Extract<Opened, { userId: string }>,
  { wanted, now }: { wanted: boolean; now: number },
): Promise<void> {
  await writePreferences(db, userId, { [PREFERENCES[scope]]: wanted }, now);
}

async function userExists(db: Db, userId: string): Promise<boolean> {
  const row = await db
    .selectFrom('users')
    .select('id')
    .where('id', '=', userId)
    .where('deletedAt', 'is', null)
    .executeTakeFirst();
  return row !== undefined;
}
