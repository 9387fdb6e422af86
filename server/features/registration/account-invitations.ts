import type { FastifyRequest } from 'fastify';
import {
  ACCOUNT_INVITATION_DAYS,
  type AccountInvitation,
  isOfDomain,
} from '../../../contracts/accounts/registration.ts';
import { accountInvitationPath } from '../../../contracts/values/addresses/links.ts';
import { DAY_MS, HOUR_MS } from '../../../contracts/values/durations.ts';
import type { LanguageCode } from '../../../contracts/values/language/languages.ts';
import type { Page } from '../../../contracts/values/paging.ts';
import type { Context } from '../../context.ts';
import type { Trx } from '../../platform/db/open.ts';
import type { Instant } from '../../platform/db/schema/column-types.ts';
import type { AccountInvitationRow } from '../../platform/db/schema.ts';
import { addressKey, requireWithinLimit } from '../../platform/http/limits/rate-limits.ts';
import { AppError } from '../../platform/lib/app-error.ts';
import { toIso, toIsoOrNull } from '../../platform/lib/clock.ts';
import { cutPage, readCursor } from '../../platform/lib/cursor.ts';
import { hashToken, randomId } from '../../platform/lib/tokens.ts';
import { dropMails, enqueueMail } from '../../platform/mail/outbox.ts';
import { renderMail } from '../../platform/mail/template/layout.ts';
import { wordingIn } from '../../platform/mail/wording.ts';
import {
  claimOpenInvitation,
  deleteUnusedInvitation,
  existsAccount,
  findLanguage,
  findOpenInvitation,
  insertInvitation,
  listInvitations,
  lockUnusedInvitation,
  updateInvitation,
} from './queries.ts';
import { getRegistration } from './settings.ts';

const DEFAULT_LIMIT = 50;
const MAILS_PER_HOUR = 5;
const LOOKUPS_PER_HOUR = 300;
type Deps = Pick<Context, 'clock' | 'config'> & { db: Trx };

/**
 * Mails a link to register. Replaces an expired or used invitation. Throws AppError `registration_is_closed`,
 * `email_taken`, `account_invitation_exists`, `too_many_requests`.
 */
export async function inviteToRegister(
  deps: Deps,
  { email, invitedBy }: { email: string; invitedBy: string },
): Promise<AccountInvitation> {
  await requireInvitationsToWork(deps);
  const emailKey = email.toLowerCase();
  if (await existsAccount(deps.db, emailKey)) throw new AppError('email_taken');
  const now = deps.clock.now();
  const link = await newLink(deps, { email, emailKey, invitedBy });
  const row = await insertInvitation(deps.db, {
    id: randomId(),
    email,
    emailKey,
    invitedBy,
    createdAt: now,
    ...link,
  });
  if (!row) throw new AppError('account_invitation_exists');
  return present(row, now);
}

/**
 * Mails a new link with a fresh expiry and voids the old one. Throws AppError `registration_is_closed`,
 * `account_invitation_not_found`, `too_many_requests`.
 */
export async function resendInvitation(deps: Deps, id: string): Promise<AccountInvitation> {
  await requireInvitationsToWork(deps);
  const invitation = await lockUnusedInvitation(deps.db, id);
  if (!invitation) throw new AppError('account_invitation_not_found');
  await dropMails(deps.db, [invitation.mailId]);
  return present(await updateInvitation(deps.db, id, await newLink(deps, invitation)), deps.clock.now());
}

/** Returns the address. */
export async function revokeInvitation(trx: Trx, id: string): Promise<string> {
  const invitation = await deleteUnusedInvitation(trx, id);
  if (!invitation) throw new AppError('account_invitation_not_found');
  await dropMails(trx, [invitation.mailId]);
  return invitation.email;
}

/** Newest first. Throws AppError `invalid_input` for an invalid cursor. */
export async function listAccountInvitations(
  { db, clock }: Pick<Context, 'db' | 'clock'>,
  query: { limit?: number | undefined; cursor?: string | undefined },
): Promise<Page<AccountInvitation>> {
  const { limit = DEFAULT_LIMIT, cursor } = query;
  const after = readCursor(cursor, 'newest');
  const rows = await listInvitations(db, { after, limit: limit + 1 });
  const { shown, nextCursor } = cutPage(rows, { sort: 'newest', limit });
  const now = clock.now();
  return { items: shown.map((row) => present(row, now)), nextCursor };
}

/** Throws AppError `account_invitation_void`, `registration_closed`, `too_many_requests`. */
export async function openAccountInvitation(
  context: Context,
  token: string,
  request: FastifyRequest,
): Promise<{ email: string; expiresAt: string }> {
  const key = `account-invitation:address:${addressKey(request)}`;
  await requireWithinLimit(context, { key, limit: LOOKUPS_PER_HOUR, windowMs: HOUR_MS });
  if ((await getRegistration(context)).mode === 'closed') throw new AppError('registration_closed');
  const { email, expiresAt } = await getOpenInvitation(context, token);
  return { email, expiresAt: toIso(expiresAt) };
}

/**
 * Decides by the mode and the address alone, so that the response doesn't reveal whether an account exists. Throws
 * AppError `registration_…` and `account_invitation_void`.
 */
export async function requireMayRegister(
  context: Pick<Context, 'db' | 'config' | 'clock'>,
  { email, invitationToken }: { email: string; invitationToken?: string | undefined },
): Promise<void> {
  const { mode, domains } = await getRegistration(context);
  if (mode === 'closed') throw new AppError('registration_closed');
  if (invitationToken !== undefined) {
    const { emailKey } = await getOpenInvitation(context, invitationToken);
    if (emailKey !== email.toLowerCase()) throw new AppError('registration_other_email');
  } else if (mode === 'invite') {
    throw new AppError('registration_needs_invitation');
  } else if (mode === 'domains' && !isOfDomain(email, domains)) {
    throw new AppError('registration_domain', { details: { domains: domains.slice(0, 3).join(' or ') } });
  }
}

/** Only one of several parallel registrations succeeds. */
export async function claimAccountInvitation(
  { db: trx, clock }: Pick<Context, 'clock'> & { db: Trx },
  token: string,
): Promise<void> {
  const lookup = { tokenHash: hashToken(token), now: clock.now() };
  if (!(await claimOpenInvitation(trx, lookup))) throw new AppError('account_invitation_void');
}

async function requireInvitationsToWork(deps: Deps): Promise<void> {
  if ((await getRegistration(deps)).mode === 'closed') throw new AppError('registration_is_closed');
}

async function getOpenInvitation(
  { db, clock }: Pick<Context, 'db' | 'clock'>,
  token: string,
): Promise<AccountInvitationRow> {
  const invitation = await findOpenInvitation(db, { tokenHash: hashToken(token), now: clock.now() });
  if (!invitation) throw new AppError('account_invitation_void');
  return invitation;
}

async function newLink(
  { db: trx, clock, config }: Deps,
  { email, emailKey, invitedBy }: Pick<AccountInvitationRow, 'email' | 'emailKey' | 'invitedBy'>,
) {
  const key = `account-invitation:mailbox:${emailKey}`;
  await requireWithinLimit({ db: trx, clock, config }, { key, limit: MAILS_PER_HOUR, windowMs: HOUR_MS });
  const now = clock.now();
  const expiresAt = now + ACCOUNT_INVITATION_DAYS * DAY_MS;
  const token = randomId();
  const mailId = await enqueueAccountInvitationMail(trx, {
    language: await findLanguage(trx, invitedBy),
    recipient: email,
    invitedBy,
    url: config.publicUrl + accountInvitationPath(token),
    days: ACCOUNT_INVITATION_DAYS,
    createdAt: now,
    expiresAt,
  });
  return { tokenHash: hashToken(token), mailId, sentAt: now, expiresAt };
}

function present(row: AccountInvitationRow, now: Instant): AccountInvitation {
  const { id, email, invitedBy, createdAt, sentAt, expiresAt, acceptedAt } = row;
  return {
    id,
    email,
    invitedBy,
    status: acceptedAt !== null ? 'accepted' : expiresAt <= now ? 'expired' : 'open',
    createdAt: toIso(createdAt),
    sentAt: toIso(sentAt),
    expiresAt: toIso(expiresAt),
    acceptedAt: toIsoOrNull(acceptedAt),
  };
}

type InvitationMail = {
  /** The inviter's. */
  language: LanguageCode | null;
  recipient: string;
  invitedBy: string;
  url: string;
  days: number;
  createdAt: Instant;
  expiresAt: Instant;
};

/** The outbox drops the mail once the link has expired. Returns the mail's id. */
export async function enqueueAccountInvitationMail(
  trx: Trx,
  { language, recipient, invitedBy, url, days, createdAt, expiresAt }: InvitationMail,
): Promise<string> {
  const wording = wordingIn(language);
  const { t } = wording;
  const { host } = new URL(url);
  const content = renderMail(wording, {
    preview: t('Create your account within {days, plural, one {# day} other {# days}}.', { days }),
    title: t('You are invited to Sendwell'),
    blocks: [
      {
        kind: 'text',
        text: t('{invitedBy} invites you to send and receive files on {host}.', { invitedBy, host }),
      },
      { kind: 'button', label: t('Create your account'), url },
      {
        kind: 'text',
        text: t(
          'The link is for {recipient}, can be used once and is valid for {days, plural, one {# day} other {# days}}.',
          { recipient, days },
        ),
      },
    ],
    reason: t(
      "You received this email because an administrator entered your address. If you don't want an account, ignore this email. Nothing happens without the link.",
    ),
  });
  return enqueueMail(trx, {
    kind: 'account-invitation',
    recipient,
    subject: t('Your invitation to Sendwell'),
    ...content,
    sendBefore: expiresAt,
    createdAt,
  });
}
