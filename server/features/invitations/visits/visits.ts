import type { FastifyRequest } from 'fastify';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../../contracts/values/durations.ts';
import type { LanguageCode } from '../../../../contracts/values/language/languages.ts';
import type { Context } from '../../../context.ts';
import type { Trx } from '../../../platform/db/open.ts';
import type { InvitationRow, UserRow, VisitRow } from '../../../platform/db/schema.ts';
import { transaction } from '../../../platform/db/transaction.ts';
import {
  addressKey,
  claimWithinLimit,
  type RateLimit,
  refundCounter,
  requireAddressWithinLimits,
  requireWithinLimit,
} from '../../../platform/http/limits/rate-limits.ts';
import { requestLanguage } from '../../../platform/http/pages/wanted-languages.ts';
import { AppError } from '../../../platform/lib/app-error.ts';
import {
  equalInConstantTime,
  hashToken,
  keyedHash,
  randomCode,
  randomId,
} from '../../../platform/lib/tokens.ts';
import { mailboxKey } from '../../../platform/mail/mailbox-key.ts';
import { dropMails } from '../../../platform/mail/outbox.ts';
import { requireVisitorDomain } from '../../registration/index.ts';
import { enqueueVisitorCodeMail } from '../mails/emails.ts';
import { lockOpenInvitation, openInvitation } from '../open-invitation.ts';
import {
  countRequesterAttempt,
  countStrangerAttempt,
  deleteUnverifiedVisits,
  insertVisit,
  markVerified,
  type VisitSubject,
} from './visit-queries.ts';

type CodeRequest = { token: string; email: string; request: FastifyRequest };

/**
 * Mails a visitor a new code and voids earlier ones of this address. Treats all addresses alike, so that the response
 * reveals nothing. Throws AppError `invitation_not_found`, `invitation_closed`, `visitor_domain`, `too_many_requests`.
 */
export async function sendVisitorCode(
  context: Context,
  { token, email, request }: CodeRequest,
): Promise<void> {
  const { invitation, inviter } = await openInvitation(context, token);
  await requireVisitorDomain(context, email);
  await transaction(context.db, async (trx) => {
    const locked = await lockOpenInvitation(trx, context, invitation.id);
    const emailKey = email.toLowerCase();
    await claimCodeMail({ ...context, db: trx }, { invitationId: locked.id, emailKey }, request);
    const askedFrom = hashRequester(context, request);
    const language = requestLanguage(request);
    await replaceCode({ ...context, db: trx }, { invitation: locked, inviter, email, askedFrom, language });
  });
}

type NewCode = {
  invitation: InvitationRow;
  inviter: UserRow;
  email: string;
  askedFrom: string;
  language: LanguageCode | null;
};

async function replaceCode(
  { db: trx, clock, secret }: Pick<Context, 'clock' | 'secret'> & { db: Trx },
  { invitation, inviter, email, askedFrom, language }: NewCode,
): Promise<void> {
  const now = clock.now();
  const visit = { id: randomId(), invitationId: invitation.id, emailKey: email.toLowerCase() };
  const code = randomCode();
  await dropMails(trx, await deleteUnverifiedVisits(trx, visit));
  await insertVisit(trx, {
    ...visit,
    recipientEmail: email,
    askedFrom,
    codeHash: hashCode(secret, visit, code),
    expiresAt: now + CODE_MINUTES * MINUTE_MS,
    createdAt: now,
  });
  await enqueueVisitorCodeMail(trx, {
    visitId: visit.id,
    recipient: email,
    language,
    invitation,
    inviter,
    code,
    minutes: CODE_MINUTES,
    createdAt: now,
  });
}

type CodeEntry = CodeRequest & { code: string };

type VerifiedVisit = { invitation: InvitationRow; visitId: string; email: string };

/**
 * Verifies an address by its code. Of parallel callers with the same code, exactly one succeeds. Throws AppError
 * `wrong_code`, `code_expired` (unknown, old, used, or too many wrong attempts), `invitation_not_found`,
 * `invitation_closed`, `too_many_requests`.
 */
export async function verifyAddress(
  context: Context,
  { token, email, code, request }: CodeEntry,
): Promise<VerifiedVisit> {
  const { invitation } = await openInvitation(context, token);
  const counted = await claimAddressAttempt(context, request);
  const visit = await checkCode(context, { invitation, email, code, request });
  await transaction(context.db, async (trx) => {
    await lockOpenInvitation(trx, context, invitation.id);
    if (!(await markVerified(trx, visit.id, context.clock.now()))) throw new AppError('code_expired');
    await refundAddressAttempt({ ...context, db: trx }, counted);
  });
  return { invitation, visitId: visit.id, email: visit.recipientEmail };
}

async function checkCode(
  context: Pick<Context, 'db' | 'clock' | 'config' | 'secret' | 'previousSecret'>,
  {
    invitation,
    email,
    code,
    request,
  }: Pick<CodeEntry, 'email' | 'code' | 'request'> & Pick<VerifiedVisit, 'invitation'>,
): Promise<VisitRow> {
  const subject = { invitationId: invitation.id, emailKey: email.toLowerCase() };
  const claimed = await claimCodeAttempt(context, subject, request);
  if (!claimed) throw new AppError('code_expired');
  const { visit, isLast } = claimed;
  const { secret, previousSecret } = context;
  const isRight = (key: string) => equalInConstantTime(visit.codeHash, hashCode(key, visit, code));
  if (isRight(secret) || (previousSecret !== undefined && isRight(previousSecret))) return visit;
  throw new AppError(isLast ? 'code_expired' : 'wrong_code');
}

/** Includes the visit's id, so that the hash is not valid for another visit. */
function hashCode(secret: string, { id, emailKey }: Pick<VisitRow, 'id' | 'emailKey'>, code: string): string {
  return keyedHash(secret, 'visitor-code', id, emailKey, code);
}

type Deps = Pick<Context, 'db' | 'clock' | 'config'>;

export const CODE_MINUTES = 15;
const WRONG_CODES_PER_HOUR = 50;

/** Limits codes per invitation, mailbox and network address. Throws AppError `too_many_requests`. */
async function claimCodeMail(
  deps: Deps,
  { invitationId, emailKey }: VisitSubject,
  request: FastifyRequest,
): Promise<void> {
  const mailbox = hashToken(mailboxKey(emailKey));
  const both = `${invitationId}:${mailbox}`;
  await requireWithinLimit(deps, { key: `visit:minute:${both}`, limit: 1, windowMs: MINUTE_MS });
  await requireWithinLimit(deps, { key: `visit:hour:${both}`, limit: 5, windowMs: HOUR_MS });
  await requireWithinLimit(deps, { key: `visit:mailbox:${mailbox}`, limit: 5, windowMs: HOUR_MS });
  await requireWithinLimit(deps, { key: `visit:mailbox:day:${mailbox}`, limit: 20, windowMs: DAY_MS });
  await requireWithinLimit(deps, { key: `visit:invitation:${invitationId}`, limit: 200, windowMs: HOUR_MS });
  await requireAddressWithinLimits(deps, request, { key: 'visit:address', limit: 30, windowMs: HOUR_MS });
}

type CountedAttempts = Pick<RateLimit, 'key'>[];

/** Call it before comparing the code. Throws AppError `too_many_requests` after too many wrong codes. */
function claimAddressAttempt(deps: Deps, request: FastifyRequest): Promise<CountedAttempts> {
  return requireAddressWithinLimits(deps, request, {
    key: 'visit:codes',
    limit: WRONG_CODES_PER_HOUR,
    windowMs: HOUR_MS,
  });
}

/** Attempts per code: from the address that requested it, from any other address, and from all others together. */
const ATTEMPTS_PER_CODE = { requester: 5, other: 5, allOthers: 25 };

/**
 * Counts an attempt before the code is compared, so that parallel guesses get no more attempts than serial ones. The
 * network address that requested the code has its own attempts, which strangers cannot use up. Returns the visit and
 * whether this was the last attempt; undefined if none is left, or if the code is expired or used.
 */
async function claimCodeAttempt(
  deps: Deps & Pick<Context, 'secret'>,
  subject: VisitSubject,
  request: FastifyRequest,
): Promise<{ visit: VisitRow; isLast: boolean } | undefined> {
  const now = deps.clock.now();
  const requester = hashRequester(deps, request);
  const own = await countRequesterAttempt(deps.db, {
    ...subject,
    now,
    requester,
    maxAttempts: ATTEMPTS_PER_CODE.requester,
  });
  if (own) return { visit: own, isLast: own.askerAttempts >= ATTEMPTS_PER_CODE.requester };
  const { invitationId, emailKey } = subject;
  const key = `visit:code:${invitationId}:${hashToken(emailKey)}:${addressKey(request)}`;
  const limit = { key, limit: ATTEMPTS_PER_CODE.other, windowMs: CODE_MINUTES * MINUTE_MS };
  if (await claimWithinLimit(deps, limit)) return undefined;
  const visit = await countStrangerAttempt(deps.db, {
    ...subject,
    now,
    requester,
    maxAttempts: ATTEMPTS_PER_CODE.allOthers,
  });
  return visit && { visit, isLast: visit.attempts >= ATTEMPTS_PER_CODE.allOthers };
}

/** A keyed hash of the network address that requested a code, so that the database contains no addresses. */
function hashRequester({ secret }: Pick<Context, 'secret'>, request: FastifyRequest): string {
  return keyedHash(secret, 'visitor-asker', addressKey(request));
}

/** Only wrong codes count. */
async function refundAddressAttempt(deps: Deps, counted: CountedAttempts): Promise<void> {
  for (const each of counted) await refundCounter(deps, each);
}
