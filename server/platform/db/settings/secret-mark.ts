import { createHmac } from 'node:crypto';
import { systemClock } from '../../lib/clock.ts';
import { randomId } from '../../lib/tokens.ts';
import { type Db, isSqlite } from '../open.ts';

const KEY = 'secretMark';

/** Servers that share a database must accept each other's cookies and links. */
class OtherSecretError extends Error {
  override name = 'OtherSecretError';

  constructor() {
    super(
      'This database was used with another secret: another server of it has generated its own in its DATA_DIR. ' +
        'Several machines need the same SESSION_SECRET (the file secret in the DATA_DIR of the first has it) and ' +
        'one S3 bucket; a single server needs the DATA_DIR that it had.',
    );
  }
}

/**
 * Compares the secret with the one this PostgreSQL database was last used with. A configured secret replaces it; a
 * generated one must be the same. Throws an Error whose message is for the operator.
 */
export async function requireSameSecret(
  db: Db,
  { secret, isGenerated }: { secret: string; isGenerated: boolean },
): Promise<void> {
  if (isSqlite(db)) return;
  const value = createHmac('sha256', secret).update(KEY).digest('hex').slice(0, 32);
  const row = { value, updatedAt: systemClock.now() };
  const insert = db.insertInto('settings').values({ id: randomId(), key: KEY, ...row });
  await insert
    .onConflict((conflict) =>
      isGenerated ? conflict.column('key').doNothing() : conflict.column('key').doUpdateSet(row),
    )
    .execute();
  const known = await db.selectFrom('settings').select('value').where('key', '=', KEY).executeTakeFirst();
  if (known?.value !== value) throw new OtherSecretError();
}
