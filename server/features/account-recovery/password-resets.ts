import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { resetPasswordPath } from '../../../contracts/values/addresses/links.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../contracts/values/durations.ts';
import { Language } from '../../../contracts/values/fields.ts';
import type { LanguageCode } from '../../../contracts/values/language/languages.ts';
import type { Context } from '../../context.ts';
import type { Trx } from '../../platform/db/open.ts';
import { transaction } from '../../platform/db/transaction.ts';
import { requireAddressWithinLimits, requireWithinLimit } from '../../platform/http/limits/rate-limits.ts';
import { requestLanguage } from '../../platform/http/pages/wanted-languages.ts';
import { defineJob } from '../../platform/jobs/define-job.ts';
import { enqueue } from '../../platform/jobs/queue.ts';
import { isAppError } from '../../platform/lib/app-error.ts';
import { hashToken, randomId } from '../../platform/lib/tokens.ts';
import { dropReplacedMails, enqueueMail } from '../../platform/mail/outbox.ts';
import { renderMail } from '../../platform/mail/template/layout.ts';
import { type MailReader, wordingIn } from '../../platform/mail/wording.ts';
import {
  deletePasswordResetsOf,
  isInactive,
  lockUserByEmail,
  requireNoSsoDomain,
} from '../accounts/index.ts';
import { insertPasswordReset } from './queries.ts';

const LINK_MINUTES = 60;
const REQUESTS_PER_HOUR = 30;

type RequestedLink = { emailKey: string; language?: LanguageCode | null | undefined };

/** Looks up the account after the response is sent, so that response times don't reveal whether it exists. */
export const mailResetLinkJob = defineJob<Context, RequestedLink>({
  name: 'accounts.mail-reset-link',
  payload: z.object({ emailKey: z.string(), language: Language.nullish() }),
  run: mailRequestedLink,
});

/**
 * Requests a link for a new password. The job waits for the worker's next poll instead of waking it, because the time
 * of the next response must not reveal whether there was work to do. Throws AppError `too_many_requests` per network
 * address.
 */
export async function requestPasswordReset(
  context: Context,
  email: string,
  request: FastifyRequest,
): Promise<void> {
  await requireAddressWithinLimits(context, request, {
    key: 'reset:address',
    limit: REQUESTS_PER_HOUR,
    windowMs: HOUR_MS,
  });
  await requireNoSsoDomain(context, email);
  const payload = { emailKey: email.toLowerCase(), language: requestLanguage(request) };
  const uniqueKey = hashToken(payload.emailKey);
  await transaction(context.db, (trx) =>
    enqueue(trx, mailResetLinkJob, payload, { uniqueKey, waitsForPoll: true }),
  );
}

async function mailRequestedLink(context: Context, { emailKey, language }: RequestedLink): Promise<void> {
  try {
    await transaction(context.db, async (trx) => {
      const deps = { ...context, db: trx };
      const user = await lockUserByEmail(trx, emailKey);
      if (!user || isInactive(user)) return;
      await requireWithinLimit(deps, { key: `reset:minute:${emailKey}`, limit: 1, windowMs: MINUTE_MS });
      await requireWithinLimit(deps, { key: `reset:hour:${emailKey}`, limit: 5, windowMs: HOUR_MS });
      await requireWithinLimit(deps, { key: `reset:day:${emailKey}`, limit: 10, windowMs: DAY_MS });
      await mailResetLink(deps, { ...user, language: user.language ?? language ?? null });
    });
  } catch (error) {
    // The mailbox has reached its limit. The caller must not learn that it exists.
    if (!isAppError(error, 'too_many_requests')) throw error;
  }
}

/** Voids older links. The caller's transaction must hold the user's row lock. */
export async function mailResetLink(
  { db: trx, clock, config }: Pick<Context, 'clock' | 'config'> & { db: Trx },
  user: MailReader,
): Promise<void> {
  const now = clock.now();
  const token = randomId();
  await deletePasswordResetsOf(trx, user.id);
  await insertPasswordReset(trx, {
    id: randomId(),
    userId: user.id,
    tokenHash: hashToken(token),
    expiresAt: now + LINK_MINUTES * MINUTE_MS,
    createdAt: now,
  });
  const url = config.publicUrl + resetPasswordPath(token);
  await enqueuePasswordResetMail(trx, user, { url, minutes: LINK_MINUTES, createdAt: now });
}

/** The outbox drops the mail once the link has expired or been replaced. */
export async function enqueuePasswordResetMail(
  trx: Trx,
  { id, email, language }: MailReader,
  { url, minutes, createdAt }: { url: string; minutes: number; createdAt: number },
): Promise<void> {
  const wording = wordingIn(language);
  const { t } = wording;
  const content = renderMail(wording, {
    preview: t('The link is valid for {minutes} minutes.', { minutes }),
    title: t('Set a new password'),
    blocks: [
      {
        kind: 'text',
        text: t('Someone, hopefully you, requested a new password for your Sendwell account.'),
      },
      { kind: 'button', label: t('Set a new password'), url },
      {
        kind: 'text',
        text: t(
          'The link is valid for {minutes} minutes and can be used once. It signs out all other devices, and disables API keys and webhooks until you enable them again in Settings.',
          { minutes },
        ),
      },
    ],
    reason: t("If you didn't request this, ignore this email. Your password stays as it is."),
  });
  await dropReplacedMails(trx, { userId: id, kind: 'password-reset' });
  await enqueueMail(trx, {
    kind: 'password-reset',
    recipient: email,
    subject: t('Set a new password for Sendwell'),
    ...content,
    userId: id,
    sendBefore: createdAt + minutes * MINUTE_MS,
    createdAt,
  });
}
