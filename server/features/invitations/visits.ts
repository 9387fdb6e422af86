import type { FastifyRequest } from 'fastify';
import type { Context } from '../../context.ts';
import type { Trx } from '../../platform/db/open.ts';
import type { InvitationRow, UserRow, VisitRow } from '../../platform/db/schema.ts';
import { transaction } from '../../platform/db/transaction.ts';
import { AppError } from '../../platform/lib/app-error.ts';
import { MINUTE_MS } from '../../platform/lib/clock.ts';
import { equalInConstantTime, keyedHash, randomCode, randomId } from '../../platform/lib/tokens.ts';
import { dropMails } from '../../platform/mail/outbox.ts';
import { requireVisitorDomain } from '../registration/index.ts';
import { holdOpenInvitation, openInvitation } from './door.ts';
import { enqueueVisitorCodeMail } from './emails.ts';
import { deleteUnprovedVisits, insertVisit, markProved } from './visit-queries.ts';
import {
  CODE_MINUTES,
  claimTryAtCode,
  giveBackCodeTry,
  hashAsker,
  takeCodeTry,
  takeSendTries,
} from './visit-tries.ts';

type Asking = { token: string; email: string; request: FastifyRequest };

/**
 * Mails a visitor a new code; older ones of this address become void with it (race 21). It goes to any address
 * alike, so the answer tells nothing of anybody. Throws AppError `invitation_not_found`, `invitation_closed`,
 * `visitor_domain`, `too_many_requests`.
 */
export async function sendVisitorCode(context: Context, { token, email, request }: Asking): Promise<void> {
  const { invitation, inviter } = await openInvitation(context, token);
  await requireVisitorDomain(context, email);
  await transaction(context.db, async (trx) => {
    const held = await holdOpenInvitation(trx, context, invitation.id);
    const emailKey = email.toLowerCase();
    await takeSendTries({ ...context, db: trx }, { invitationId: held.id, emailKey }, request);
    const askedFrom = hashAsker(context, request);
    await replaceCode({ ...context, db: trx }, { invitation: held, inviter, email, askedFrom });
  });
}

type NewCode = { invitation: InvitationRow; inviter: UserRow; email: string; askedFrom: string };

async function replaceCode(
  { db: trx, clock, secret }: Pick<Context, 'clock' | 'secret'> & { db: Trx },
  { invitation, inviter, email, askedFrom }: NewCode,
): Promise<void> {
  const now = clock.now();
  const visit = { id: randomId(), invitationId: invitation.id, emailKey: email.toLowerCase() };
  const code = randomCode();
  await dropMails(trx, await deleteUnprovedVisits(trx, visit));
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
    invitation,
    inviter,
    code,
    minutes: CODE_MINUTES,
    createdAt: now,
  });
}

type Proof = Asking & { code: string };

/** Who has come: what a cookie is made of. */
type Proved = { invitation: InvitationRow; visitId: string; email: string };

/**
 * Proves an address by its code, for exactly one of all callers that send it. Throws AppError `wrong_code`,
 * `code_expired` (unknown, old, used, or too many wrong tries), `invitation_not_found`, `invitation_closed`,
 * `too_many_requests`.
 */
export async function proveAddress(
  context: Context,
  { token, email, code, request }: Proof,
): Promise<Proved> {
  const { invitation } = await openInvitation(context, token);
  const counted = await takeCodeTry(context, request);
  const visit = await checkCode(context, { invitation, email, code, request });
  await transaction(context.db, async (trx) => {
    await holdOpenInvitation(trx, context, invitation.id);
    if (!(await markProved(trx, visit.id, context.clock.now()))) throw new AppError('code_expired');
    await giveBackCodeTry({ ...context, db: trx }, counted);
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
  }: Pick<Proof, 'email' | 'code' | 'request'> & Pick<Proved, 'invitation'>,
): Promise<VisitRow> {
  const subject = { invitationId: invitation.id, emailKey: email.toLowerCase() };
  const tried = await claimTryAtCode(context, subject, request);
  if (!tried) throw new AppError('code_expired');
  const { visit, isLast } = tried;
  const { secret, previousSecret } = context;
  const isRight = (key: string) => equalInConstantTime(visit.codeHash, hashCode(key, visit, code));
  if (isRight(secret) || (previousSecret !== undefined && isRight(previousSecret))) return visit;
  throw new AppError(isLast ? 'code_expired' : 'wrong_code');
}

/** Of no use for another visit, be it to the same invitation. */
function hashCode(secret: string, { id, emailKey }: Pick<VisitRow, 'id' | 'emailKey'>, code: string): string {
  return keyedHash(secret, 'visitor-code', id, emailKey, code);
}
