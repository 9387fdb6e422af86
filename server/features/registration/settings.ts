import { z } from 'zod';
import {
  type AdminRegistration,
  isOfDomain,
  REGISTRATION_MODES,
  type RegistrationInput,
} from '../../../contracts/accounts/registration.ts';
import type { Context } from '../../context.ts';
import type { Trx } from '../../platform/db/open.ts';
import { selectSetting, upsertSetting } from '../../platform/db/settings.ts';
import { AppError } from '../../platform/lib/app-error.ts';
import { randomId } from '../../platform/lib/tokens.ts';

const REGISTRATION_KEY = 'registration';

const Stored = z.object({
  mode: z.enum(REGISTRATION_MODES),
  domains: z.array(z.string()),
  visitorDomains: z.array(z.string()),
});

/**
 * The administrator's choice overrides the environment. Read on every call, so that a change applies to the next
 * request in every process.
 */
export async function getRegistration({
  db,
  config,
}: Pick<Context, 'db' | 'config'>): Promise<AdminRegistration> {
  const [row] = await selectSetting(db, REGISTRATION_KEY);
  const configured = config.registration;
  if (!row) return { ...configured, visitorDomains: [], source: 'environment', configured };
  return { ...Stored.parse(JSON.parse(row.value)), source: 'admin', configured };
}

export async function saveRegistration(
  { db: trx, clock }: Pick<Context, 'clock'> & { db: Trx },
  input: RegistrationInput,
): Promise<void> {
  await upsertSetting(trx, {
    id: randomId(),
    key: REGISTRATION_KEY,
    value: JSON.stringify(input),
    updatedAt: clock.now(),
  });
}

/** Throws AppError `visitor_domain` if visitors with this address may not send files. */
export async function requireVisitorDomain(
  context: Pick<Context, 'db' | 'config'>,
  email: string,
): Promise<void> {
  const { visitorDomains } = await getRegistration(context);
  if (visitorDomains.length > 0 && !isOfDomain(email, visitorDomains)) throw new AppError('visitor_domain');
}
