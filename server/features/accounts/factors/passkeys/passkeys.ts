import type { FastifyRequest } from 'fastify';
import type { Passkey } from '../../../../../contracts/accounts/sign-in/passkeys.ts';
import type { Context } from '../../../../context.ts';
import { transaction } from '../../../../platform/db/transaction.ts';
import { AppError } from '../../../../platform/lib/app-error.ts';
import { createAlertLink } from '../../events/account-alerts.ts';
import { recordAccountEvent } from '../../events/events.ts';
import { lockAccount } from '../../users/user-queries.ts';
import { enqueueFactorMail } from '../factor-mails.ts';
import { settleFactors } from '../factors.ts';
import { deletePasskey, presentPasskey, updateName } from './passkey-queries.ts';

/** Throws AppError `passkey_not_found`, also for other users' passkeys. */
export async function renamePasskey(
  { db }: Pick<Context, 'db'>,
  passkey: { userId: string; id: string; name: string },
): Promise<Passkey> {
  const renamed = await updateName(db, passkey);
  if (!renamed) throw new AppError('passkey_not_found');
  return presentPasskey(renamed);
}

/** Throws AppError `passkey_not_found`, also for other users' passkeys. */
export async function removePasskey(
  context: Context,
  { userId, id }: { userId: string; id: string },
  request: FastifyRequest,
): Promise<void> {
  await transaction(context.db, async (trx) => {
    const user = await lockAccount(trx, userId);
    const removed = user && (await deletePasskey(trx, { id, userId }));
    if (!removed) throw new AppError('passkey_not_found');
    await settleFactors(trx, userId);
    const deps = { ...context, db: trx };
    const { name } = removed;
    const details = { method: 'passkey', name } as const;
    await recordAccountEvent(deps, { userId, kind: 'second-factor-removed', request, details });
    const secureUrl = await createAlertLink(deps, user);
    const createdAt = context.clock.now();
    await enqueueFactorMail(trx, user, { change: 'passkey-removed', name, secureUrl, createdAt });
  });
}
