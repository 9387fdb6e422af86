import type { Context } from '../../context.ts';
import type { Trx } from '../../platform/db/open.ts';
import type { UserRow } from '../../platform/db/schema.ts';
import { transaction } from '../../platform/db/transaction.ts';
import type { Identity } from '../../platform/http/routing/identity.ts';
import { enqueueMail } from '../../platform/mail/outbox.ts';
import { renderMail } from '../../platform/mail/template/layout.ts';
import { wordingIn } from '../../platform/mail/wording.ts';
import { closeAccount, closeAccountAsAdmin, requireOwner } from '../accounts/index.ts';
import { deleteKeysOf } from '../api-keys/index.ts';
import { enqueueBackgroundRemoval } from '../backgrounds/index.ts';
import { endSubscriptionsOf } from '../billing/index.ts';
import { removeInvitationsOf } from '../invitations/index.ts';
import type { FateContext } from '../transfers/index.ts';
import { deleteWebhooksOf } from '../webhooks/index.ts';
import { enqueueAccountRemoval, removeTransferBatch } from './jobs.ts';

const FIELD = 'password';

/**
 * Deletes an account. Signing in is impossible from the commit on, and the username and address become free. Marks the
 * first batch of transfers as deleted, drafts first, so that no running upload can finish one. Jobs end the
 * subscriptions and delete the remaining transfers and the row. Throws AppError `wrong_current_password`,
 * `step_up_required`, `too_many_requests`, `last_admin`.
 */
export async function deleteAccount(
  context: Context,
  identity: Identity,
  password: string | undefined,
): Promise<void> {
  await requireOwner(context, identity, { password, field: FIELD });
  const { user } = identity;
  await transaction(context.db, async (trx) => {
    const closed = await closeAccount({ ...context, db: trx }, { user, field: FIELD });
    await removeBelongings({ ...context, db: trx }, closed);
    await enqueueAccountDeletedMail(trx, { ...closed, createdAt: context.clock.now() });
  });
}

/**
 * `deleteAccount` for administrators: needs no password and runs in the caller's transaction. Returns the row as it
 * was before. `isSilent`: without a mail to the user. Throws AppError `user_not_found`, `last_admin`.
 */
export async function deleteAccountAsAdmin(
  context: FateContext,
  userId: string,
  { isSilent = false }: { isSilent?: boolean } = {},
): Promise<UserRow> {
  const closed = await closeAccountAsAdmin(context, userId);
  await removeBelongings(context, closed);
  if (!isSilent) await enqueueAccountDeletedMail(context.db, { ...closed, createdAt: context.clock.now() });
  return closed;
}

async function removeBelongings(context: FateContext, closed: UserRow): Promise<void> {
  const { db: trx } = context;
  await deleteKeysOf(trx, closed.id);
  await enqueueBackgroundRemoval(trx, closed.backgroundStorageKey);
  await endSubscriptionsOf(trx, closed.id);
  await removeInvitationsOf(context, closed.id);
  await deleteWebhooksOf(trx, closed.id);
  await removeTransferBatch(context, closed.id);
  await enqueueAccountRemoval(trx, closed.id);
}

export async function enqueueAccountDeletedMail(
  trx: Trx,
  { email, language, createdAt }: Pick<UserRow, 'email' | 'language'> & { createdAt: number },
): Promise<void> {
  const wording = wordingIn(language);
  const { t } = wording;
  const content = renderMail(wording, {
    preview: t('Your transfers and their files are being deleted.'),
    title: t('Your account was deleted'),
    blocks: [
      {
        kind: 'text',
        text: t(
          'Your links no longer work. Your transfers, their files and all other data about you are being deleted.',
        ),
      },
      { kind: 'facts', facts: [{ label: t('When'), value: wording.formatInstant(createdAt) }] },
      {
        kind: 'text',
        text: t(
          'Thank you for using Sendwell. If you come back, you can use the same username and email address.',
        ),
      },
    ],
    reason: t('This is the last email about this account.'),
  });
  await enqueueMail(trx, {
    kind: 'account-deleted',
    recipient: email,
    subject: t('Your Sendwell account was deleted'),
    ...content,
    createdAt,
  });
}
