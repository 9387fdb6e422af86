import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { SSO_MINUTES } from '../../../../../contracts/accounts/sign-in/single-sign-on.ts';
import { MINUTE_MS } from '../../../../../contracts/values/durations.ts';
import type { Context } from '../../../../context.ts';
import { equalInConstantTime } from '../../../../platform/lib/tokens.ts';
import { claimAttempt, findAttempt, startAttempt } from '../../sign-in/attempts.ts';
import { readAttemptToken } from '../../sign-in/sessions/cookies.ts';

export const SSO_MS = SSO_MINUTES * MINUTE_MS;

const Pending = z.object({
  providerId: z.string(),
  state: z.string(),
  nonce: z.string(),
  codeVerifier: z.string(),
  returnTo: z.string().optional(),
  purpose: z.discriminatedUnion('kind', [
    z.object({ kind: z.literal('sign-in') }),
    z.object({ kind: z.literal('link'), userId: z.string(), sessionId: z.string() }),
    z.object({
      kind: z.literal('step-up'),
      userId: z.string(),
      sessionId: z.string(),
      identityId: z.string(),
    }),
  ]),
});

/** A visit to a provider that has not come back yet. */
export type Pending = z.infer<typeof Pending>;
export type Purpose = Pending['purpose'];

/** Stores it in a row for one use, and returns the token for the browser's cookie. */
export function startPending(context: Pick<Context, 'db' | 'clock'>, pending: Pending): Promise<string> {
  const { purpose } = pending;
  return startAttempt(context, {
    stage: 'sso',
    // Ending the account's access deletes the row.
    userId: purpose.kind === 'sign-in' ? null : purpose.userId,
    challenge: JSON.stringify(pending),
    lifetime: SSO_MS,
  });
}

/**
 * Uses up the row of this browser if the state is the one it was sent away with: of parallel calls, one gets it. A
 * wrong state uses nothing up, so that other sites cannot spoil a sign-in.
 */
export async function claimPending(
  context: Pick<Context, 'db' | 'clock' | 'config'>,
  { state, request }: { state: string | undefined; request: FastifyRequest },
): Promise<(Pending & { createdAt: number }) | undefined> {
  const token = readAttemptToken(context, request, 'sendwell_sso');
  if (!token || !state) return undefined;
  const found = await findAttempt(context, { token, stage: 'sso' });
  if (!found || !equalInConstantTime(parse(found).state, state)) return undefined;
  const claimed = await claimAttempt(context, { token, stage: 'sso' });
  return claimed && { ...parse(claimed), createdAt: claimed.createdAt };
}

function parse({ challenge }: { challenge: string | null }): Pending {
  return Pending.parse(JSON.parse(challenge ?? '{}'));
}
