import { ConfigError } from '../../config.ts';
import type { Context } from '../../context.ts';
import { isUniqueViolation } from '../../platform/db/errors.ts';
import { newUser } from './new-user.ts';
import { findWeakness } from './password-policy.ts';
import { hashPassword } from './passwords.ts';
import { existsAdmin, insertUser } from './queries.ts';

/**
 * Creates the administrator that ADMIN_* name if there is none at all (fault 19). It never touches an account
 * that exists: whoever took that name or address before does not become an administrator. Throws ConfigError when the
 * password policy refuses the password.
 */
export async function ensureFirstAdmin({
  db,
  config,
  clock,
  log,
}: Pick<Context, 'db' | 'config' | 'clock' | 'log'>): Promise<void> {
  if (!config.firstAdmin || (await existsAdmin(db))) return;
  const { username, email, password } = config.firstAdmin;
  const weakness = await findWeakness({ config }, password, { username, email });
  if (weakness) throw new ConfigError(`ADMIN_PASSWORD: ${weakness}`);
  const person = { name: username, username, email, passwordHash: await hashPassword(password) };
  try {
    await insertUser(db, newUser(person, { emailVerified: 1, isAdmin: 1, tier: 'premium' }, clock.now()));
  } catch (error) {
    if (!isUniqueViolation(error)) throw error;
    // Another process that starts at the same time may have created the same administrator.
    if (await existsAdmin(db)) return;
    log.warn('ADMIN_USERNAME or ADMIN_EMAIL belongs to an ordinary user: no administrator was created.');
  }
}
