import { PASSKEY_MINUTES } from '../../../../../contracts/accounts/sign-in/passkeys.ts';
import { MINUTE_MS } from '../../../../../contracts/values/durations.ts';
import type { Context } from '../../../../context.ts';
import type { AttemptStage } from '../../../../platform/db/schema/accounts.ts';
import { AppError } from '../../../../platform/lib/app-error.ts';
import { hashToken } from '../../../../platform/lib/tokens.ts';
import { claimAttempt, startAttempt } from '../../sign-in/attempts.ts';

export const CHALLENGE_MS = PASSKEY_MINUTES * MINUTE_MS;

type Stage = Extract<AttemptStage, `passkey-${string}`>;

export type ChallengeOwner = {
  stage: Stage;
  /** Null: nobody has signed in yet. */
  userId: string | null;
  /** The value of the cookie that binds the challenge to the browser. */
  browser: string | undefined;
};

/** Starts a challenge that counts once, in this browser, for `CHALLENGE_MS`. Returns it in base64url. */
export async function startChallenge(
  deps: Pick<Context, 'db' | 'clock'>,
  { stage, userId, browser = '' }: ChallengeOwner,
): Promise<string> {
  const challenge = hashToken(browser);
  const token = await startAttempt(deps, { stage, userId, challenge, lifetime: CHALLENGE_MS });
  return Buffer.from(token).toString('base64url');
}

/**
 * Uses up the challenge that the browser's answer names, whether or not the answer turns out to be right. Returns the
 * challenge. Throws AppError `passkey_expired`.
 */
export async function claimChallenge(
  deps: Pick<Context, 'db' | 'clock'>,
  { stage, userId, browser = '' }: ChallengeOwner,
  clientDataJSON: string,
): Promise<string> {
  const challenge = readChallenge(clientDataJSON);
  const token = Buffer.from(challenge, 'base64url').toString();
  const claimed = await claimAttempt(deps, { token, stage, challenge: hashToken(browser) });
  if (claimed?.userId !== userId) throw new AppError('passkey_expired');
  return challenge;
}

function readChallenge(clientDataJSON: string): string {
  try {
    const data: unknown = JSON.parse(Buffer.from(clientDataJSON, 'base64url').toString());
    const isObject = typeof data === 'object' && data !== null && 'challenge' in data;
    return isObject && typeof data.challenge === 'string' ? data.challenge : '';
  } catch {
    return '';
  }
}
