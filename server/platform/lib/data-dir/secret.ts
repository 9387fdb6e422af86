import { createHmac, randomBytes } from 'node:crypto';
import { link, open, readFile, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { type Db, isSqlite } from '../../db/open.ts';
import { systemClock } from '../clock.ts';
import { randomId } from '../tokens.ts';

/**
 * Atomic: written under another name, synced and linked into place, so concurrent processes read the same
 * secret. Readable by its owner only.
 */
export async function readOrCreateSecret(dataDir: string): Promise<string> {
  const path = join(dataDir, 'secret');
  const existing = await readIfPresent(path);
  if (existing) return existing;
  const draft = `${path}.${randomBytes(6).toString('hex')}`;
  const file = await open(draft, 'wx', 0o600);
  await file.writeFile(randomBytes(32).toString('base64url'));
  await file.sync();
  await file.close();
  await link(draft, path).catch(ignoreExisting);
  await unlink(draft);
  return readFile(path, 'utf8');
}

async function readIfPresent(path: string): Promise<string | undefined> {
  return readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
}

function ignoreExisting(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EEXIST') throw error;
}

const FINGERPRINT_KEY = 'secretMark';

/** Servers that share a database must accept each other's cookies and links. */
class OtherSecretError extends Error {
  override name = 'OtherSecretError';

  constructor() {
    super(
      'This database was used with another secret, which another server generated in its own DATA_DIR. ' +
        'If several machines use the database, give all of them the same SESSION_SECRET (the file named secret in ' +
        'the DATA_DIR of the first one) and the same S3 bucket. A single server must keep its DATA_DIR.',
    );
  }
}

/**
 * Compares the secret with the fingerprint of the one this PostgreSQL database was last used with. A
 * configured secret replaces it; a generated one must match. Throws OtherSecretError.
 */
export async function requireSameSecret(
  db: Db,
  { secret, isGenerated }: { secret: string; isGenerated: boolean },
): Promise<void> {
  if (isSqlite(db)) return;
  const value = createHmac('sha256', secret).update(FINGERPRINT_KEY).digest('hex').slice(0, 32);
  const row = { value, updatedAt: systemClock.now() };
  const insert = db.insertInto('settings').values({ id: randomId(), key: FINGERPRINT_KEY, ...row });
  await insert
    .onConflict((conflict) =>
      isGenerated ? conflict.column('key').doNothing() : conflict.column('key').doUpdateSet(row),
    )
    .execute();
  const known = await db
    .selectFrom('settings')
    .select('value')
    .where('key', '=', FINGERPRINT_KEY)
    .executeTakeFirst();
  if (known?.value !== value) throw new OtherSecretError();
}
