import type { Selectable } from 'kysely';
import { PASSKEYS_MAX, type Passkey } from '../../../../../contracts/accounts/sign-in/passkeys.ts';
import type { Db, Trx } from '../../../../platform/db/open.ts';
import type { PasskeysTable } from '../../../../platform/db/schema/accounts.ts';
import type { Flag, Instant } from '../../../../platform/db/schema/column-types.ts';
import { toIso } from '../../../../platform/lib/clock.ts';

export type PasskeyRow = Selectable<PasskeysTable>;
type OwnPasskey = Pick<PasskeyRow, 'id' | 'userId'>;

/**
 * Returns false if the user has `PASSKEYS_MAX` passkeys, or if the passkey is known. The caller's transaction must hold
 * the user's row lock.
 */
export async function insertPasskey(trx: Trx, row: Omit<PasskeyRow, 'lastUsedAt'>): Promise<boolean> {
  const inserted = await trx
    .insertInto('passkeys')
    .columns([
      'id',
      'userId',
      'credentialId',
      'publicKey',
      'counter',
      'transports',
      'isBackedUp',
      'deviceType',
      'aaguid',
      'name',
      'createdAt',
    ])
    .expression(
      trx
        .selectFrom('users')
        .select((eb) => [
          eb.cast<string>(eb.val(row.id), 'text').as('id'),
          'users.id as userId',
          eb.cast<string>(eb.val(row.credentialId), 'text').as('credentialId'),
          eb.cast<string>(eb.val(row.publicKey), 'text').as('publicKey'),
          eb.cast<number>(eb.val(row.counter), 'bigint').as('counter'),
          eb.cast<string>(eb.val(row.transports), 'text').as('transports'),
          eb.cast<Flag>(eb.val(row.isBackedUp), 'integer').as('isBackedUp'),
          eb.cast<PasskeyRow['deviceType']>(eb.val(row.deviceType), 'text').as('deviceType'),
          eb.cast<string>(eb.val(row.aaguid), 'text').as('aaguid'),
          eb.cast<string>(eb.val(row.name), 'text').as('name'),
          eb.cast<number>(eb.val(row.createdAt), 'bigint').as('createdAt'),
        ])
        .where('users.id', '=', row.userId)
        .where(({ selectFrom }) =>
          selectFrom('passkeys')
            .select(({ eb, fn }) => eb(fn.countAll<number>(), '<', PASSKEYS_MAX).as('hasRoom'))
            .where('userId', '=', row.userId),
        ),
    )
    .onConflict((conflict) => conflict.column('credentialId').doNothing())
    .returning('id')
    .executeTakeFirst();
  return inserted !== undefined;
}

/** The oldest first. */
export function listPasskeys(db: Db, userId: string): Promise<PasskeyRow[]> {
  return db
    .selectFrom('passkeys')
    .selectAll()
    .where('userId', '=', userId)
    .orderBy('createdAt')
    .orderBy('id')
    .execute();
}

export function findPasskey(db: Db, credentialId: string): Promise<PasskeyRow | undefined> {
  return db.selectFrom('passkeys').selectAll().where('credentialId', '=', credentialId).executeTakeFirst();
}

/**
 * Accepts a counter that rises, or one that stays 0: the authenticator counts nothing then (WebAuthn, section 6.1.1).
 * Returns false for others, and if the passkey was removed.
 */
export async function raiseCounter(
  db: Db,
  { id, counter, isBackedUp }: Pick<PasskeyRow, 'id' | 'counter' | 'isBackedUp'>,
): Promise<boolean> {
  const raised = await db
    .updateTable('passkeys')
    .set({ counter, isBackedUp })
    .where('id', '=', id)
    .where((eb) => (counter === 0 ? eb('counter', '=', 0) : eb('counter', '<', counter)))
    .returning('id')
    .executeTakeFirst();
  return raised !== undefined;
}

/** Returns false if the passkey was removed. */
export async function recordPasskeyUse(
  trx: Trx,
  { id, now }: { id: string; now: Instant },
): Promise<boolean> {
  const used = await trx
    .updateTable('passkeys')
    .set({ lastUsedAt: now })
    .where('id', '=', id)
    .returning('id')
    .executeTakeFirst();
  return used !== undefined;
}

export function updateName(
  db: Db,
  { id, userId, name }: OwnPasskey & { name: string },
): Promise<PasskeyRow | undefined> {
  return db
    .updateTable('passkeys')
    .set({ name })
    .where('id', '=', id)
    .where('userId', '=', userId)
    .returningAll()
    .executeTakeFirst();
}

export function deletePasskey(trx: Trx, { id, userId }: OwnPasskey): Promise<PasskeyRow | undefined> {
  return trx
    .deleteFrom('passkeys')
    .where('id', '=', id)
    .where('userId', '=', userId)
    .returningAll()
    .executeTakeFirst();
}

export function presentPasskey({ id, name, isBackedUp, createdAt, lastUsedAt }: PasskeyRow): Passkey {
  return {
    id,
    name,
    isSynced: isBackedUp === 1,
    createdAt: toIso(createdAt),
    lastUsedAt: lastUsedAt === null ? null : toIso(lastUsedAt),
  };
}
