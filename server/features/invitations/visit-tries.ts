import type { FastifyRequest } from 'fastify';
import type { Context } from '../../context.ts';
import { addressKey, giveBackTry, takeTry } from '../../platform/http/rate-limits.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../platform/lib/clock.ts';
import { hashToken } from '../../platform/lib/tokens.ts';
import { mailboxKey } from '../../platform/mail/mailbox-key.ts';
import type { VisitSubject } from './visit-queries.ts';

type Deps = Pick<Context, 'db' | 'clock' | 'config'>;

const WRONG_CODES_PER_HOUR = 50;

/**
 * Counts a code that is to be mailed: nobody's mailbox is filled, neither through one invitation nor through
 * many, and no invitation or network address sends without end (promise 23). Throws AppError
 * `too_many_requests`.
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
  await takeTry(deps, { key: `visit:address:${addressKey(request)}`, limit: 30, windowMs: HOUR_MS });
}

/** Counts a code before it is compared (promise 24). Returns what `giveBackCodeTry` takes. */
export async function takeCodeTry(deps: Deps, request: FastifyRequest): Promise<{ key: string }> {
  const key = `visit:codes:${addressKey(request)}`;
  await takeTry(deps, { key, limit: WRONG_CODES_PER_HOUR, windowMs: HOUR_MS });
  return { key };
}

/** The code was right: only wrong ones count. */
export async function giveBackCodeTry(deps: Deps, counted: { key: string }): Promise<void> {
  await giveBackTry(deps, counted);
}
