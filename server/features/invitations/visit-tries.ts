import type { FastifyRequest } from 'fastify';
import type { Context } from '../../context.ts';
import type { VisitRow } from '../../platform/db/schema.ts';
import {
  addressKey,
  claimTry,
  giveBackTry,
  type RateLimit,
  takeAddressTries,
  takeTry,
} from '../../platform/http/rate-limits.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../platform/lib/clock.ts';
import { hashToken, keyedHash } from '../../platform/lib/tokens.ts';
import { mailboxKey } from '../../platform/mail/mailbox-key.ts';
import { countAskersTry, countOthersTry, type VisitSubject } from './visit-queries.ts';

type Deps = Pick<Context, 'db' | 'clock' | 'config'>;

export const CODE_MINUTES = 15;
const WRONG_CODES_PER_HOUR = 50;

/**
 * Counts a code that is to be mailed, per invitation, mailbox and network address, so that nobody's mailbox is filled
 * through one invitation or many. Throws AppError `too_many_requests`.
 */
export async function takeSendTries(
  deps: Deps,
  { invitationId, emailKey }: VisitSubject,
  request: FastifyRequest,
): Promise<void> {
  const mailbox = hashToken(mailboxKey(emailKey));
  const both = `${invitationId}:${mailbox}`;
  await takeTry(deps, { key: `visit:minute:${both}`, limit: 1, windowMs: MINUTE_MS });
  await takeTry(deps, { key: `visit:hour:${both}`, limit: 5, windowMs: HOUR_MS });
  await takeTry(deps, { key: `visit:mailbox:${mailbox}`, limit: 5, windowMs: HOUR_MS });
  await takeTry(deps, { key: `visit:mailbox:day:${mailbox}`, limit: 20, windowMs: DAY_MS });
  await takeTry(deps, { key: `visit:invitation:${invitationId}`, limit: 200, windowMs: HOUR_MS });
  await takeAddressTries(deps, request, { key: 'visit:address', limit: 30, windowMs: HOUR_MS });
}

/** What `giveBackCodeTry` takes. */
type CodeTries = Pick<RateLimit, 'key'>[];

/**
 * Counts a code before it is compared, for the network address. Throws AppError `too_many_requests` for an address
 * that entered too many wrong ones.
 */
export function takeCodeTry(deps: Deps, request: FastifyRequest): Promise<CodeTries> {
  return takeAddressTries(deps, request, {
    key: 'visit:codes',
    limit: WRONG_CODES_PER_HOUR,
    windowMs: HOUR_MS,
  });
}

/** Tries at one code: from the address that asked for it, from any other address, and from all others together. */
const TRIES_AT_CODE = { asker: 5, other: 5, allOthers: 25 };

/**
 * Counts a try at a visitor's code before it is compared, so that parallel guesses get no more than serial ones. The
 * network address that asked for the code has tries of its own, which a stranger's wrong guesses leave alone. Returns
 * the visit, and whether this was the last try; undefined when no try is left, or the code is expired or used.
 */
export async function claimTryAtCode(
  deps: Deps & Pick<Context, 'secret'>,
  subject: VisitSubject,
  request: FastifyRequest,
): Promise<{ visit: VisitRow; isLast: boolean } | undefined> {
  const now = deps.clock.now();
  const asker = hashAsker(deps, request);
  const own = await countAskersTry(deps.db, { ...subject, now, asker, tries: TRIES_AT_CODE.asker });
  if (own) return { visit: own, isLast: own.askerAttempts >= TRIES_AT_CODE.asker };
  const { invitationId, emailKey } = subject;
  const key = `visit:code:${invitationId}:${hashToken(emailKey)}:${addressKey(request)}`;
  const limit = { key, limit: TRIES_AT_CODE.other, windowMs: CODE_MINUTES * MINUTE_MS };
  if (await claimTry(deps, limit)) return undefined;
  const visit = await countOthersTry(deps.db, { ...subject, now, asker, tries: TRIES_AT_CODE.allOthers });
  return visit && { visit, isLast: visit.attempts >= TRIES_AT_CODE.allOthers };
}

/** Which network address asked for a code; keyed, so that the database reveals no addresses. */
export function hashAsker({ secret }: Pick<Context, 'secret'>, request: FastifyRequest): string {
  return keyedHash(secret, 'visitor-asker', addressKey(request));
}

/** Gives back the try of a right code: only wrong ones count. */
export async function giveBackCodeTry(deps: Deps, counted: CodeTries): Promise<void> {
  for (const each of counted) await giveBackTry(deps, each);
}
