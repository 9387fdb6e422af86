import { showBackground } from '../../../contracts/accounts/backgrounds.ts';
import { tierIncludes } from '../../../contracts/plans/tiers.ts';
import type { Context } from '../../context.ts';
import { readSignedValue, type Signing, signValue } from '../../platform/http/signed-value.ts';
import { HOUR_MS, MINUTE_MS } from '../../platform/lib/clock.ts';
import { type BackgroundOwner, findOwner } from './queries.ts';

/** Addresses made within the same half hour are one, so that browsers can keep what they lead to. */
const ROUND_MS = 30 * MINUTE_MS;

/**
 * The address of a sender's background, good for at least an hour and at most an hour and a half; null without
 * one, and while the sender's plan does not include it. The picture's key is signed into it: a replaced picture
 * makes it void.
 */
export async function findBackgroundUrl(
  context: Pick<Context, 'db' | 'clock' | 'secret'>,
  userId: string,
): Promise<string | null> {
  return addressOf(context, await findOwner(context.db, userId));
}

function addressOf(
  { clock, secret }: Pick<Context, 'clock' | 'secret'>,
  owner: BackgroundOwner | undefined,
): string | null {
  if (!owner?.backgroundStorageKey || !tierIncludes(owner.tier, 'background')) return null;
  const expiresAt = Math.ceil(clock.now() / ROUND_MS) * ROUND_MS + HOUR_MS;
  const signature = signValue(signing(secret), owner.backgroundStorageKey, expiresAt);
  return showBackground.path.replace(':signature', signature);
}

/** The key of the picture an address was made for; undefined when it is forged or too old. */
export function readSignature(
  { clock, secret }: Pick<Context, 'clock' | 'secret'>,
  signature: string,
): string | undefined {
  return readSignedValue(signing(secret), signature, clock.now());
}

function signing(secret: string): Signing {
  return { secret, purpose: 'background' };
}
