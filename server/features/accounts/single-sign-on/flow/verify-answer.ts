import { authorizationCodeGrant, fetchUserInfo, type IDToken, type UserInfoResponse } from 'openid-client';
import { SECOND_MS } from '../../../../../contracts/values/durations.ts';
import { isEmail, isStorableText } from '../../../../../contracts/values/fields.ts';
import type { Context } from '../../../../context.ts';
import { systemClock } from '../../../../platform/lib/clock.ts';
import { CLOCK_TOLERANCE, configure, keepKeys } from '../providers/discovery.ts';
import type { Provider } from '../providers/providers.ts';
import { redirectUriOf } from './begin.ts';
import { SsoFailure } from './failures.ts';
import type { Pending } from './pending.ts';

/** Of `sub` (OpenID Connect Core, section 2) and, as our own limit, of `sid`. */
const ID_MAX = 255;

/** Values of `amr` (RFC 8176) that stand for a second factor or for a key that is one. */
const STRONG_METHODS = new Set(['mfa', 'hwk', 'otp', 'sc']);

/** What a provider proved about a person. */
export type ProvedIdentity = {
  subject: string;
  /** Undefined if the provider did not send a usable one. */
  email: string | undefined;
  isEmailVerified: boolean;
  name: string | undefined;
  /** The provider's session, for back-channel logout. */
  sid: string | null;
  hasSecondFactor: boolean;
};

type Claims = IDToken | UserInfoResponse;

/**
 * Exchanges the code and verifies everything: state, issuer, signature, audience, nonce, times and, for a step-up, that
 * the person has signed in since. Throws SsoFailure and the errors of `openid-client`.
 */
export async function verifyAnswer(
  context: Pick<Context, 'db' | 'clock' | 'config'>,
  {
    provider,
    pending,
    search,
  }: { provider: Provider; pending: Pending & { createdAt: number }; search: string },
): Promise<ProvedIdentity> {
  const configuration = await configure(context, provider);
  try {
    const tokens = await authorizationCodeGrant(
      configuration,
      new URL(redirectUriOf(context.config) + search),
      {
        expectedState: pending.state,
        expectedNonce: pending.nonce,
        pkceCodeVerifier: pending.codeVerifier,
        idTokenExpected: true,
      },
    );
    const claims = tokens.claims();
    if (!claims) throw new SsoFailure('unverifiable', 'no_id_token');
    checkClaims(claims, provider);
    if (pending.purpose.kind === 'step-up') {
      const elapsed = (context.clock.now() - pending.createdAt) / SECOND_MS;
      if (!hasSignedInSince(claims, elapsed)) throw new SsoFailure('not-confirmed');
    }
    const needsMore = claims.email === undefined && configuration.serverMetadata().userinfo_endpoint;
    const details: Claims = needsMore
      ? await fetchUserInfo(configuration, tokens.access_token, claims.sub)
      : claims;
    return present(claims, details);
  } finally {
    keepKeys(context, provider, configuration);
  }
}

/** What `openid-client` leaves to its callers. Times are compared with the system's clock, as the library does. */
function checkClaims({ sub, iat, azp }: IDToken, { clientId }: Provider): void {
  if (!isId(sub)) throw new SsoFailure('unverifiable', 'bad_subject');
  if (iat > systemClock.now() / SECOND_MS + CLOCK_TOLERANCE)
    throw new SsoFailure('unverifiable', 'issued_in_future');
  if (azp !== undefined && azp !== clientId) throw new SsoFailure('unverifiable', 'other_party');
}

/** Whether the person signed in to the provider in these last seconds, instead of being remembered there. */
function hasSignedInSince({ auth_time: at }: IDToken, seconds: number): boolean {
  return typeof at === 'number' && at >= systemClock.now() / SECOND_MS - seconds - CLOCK_TOLERANCE;
}

/** `details` are the claims about the person: of the ID token, or of the userinfo endpoint if it has none. */
function present(claims: IDToken, details: Claims): ProvedIdentity {
  const { email, email_verified: isEmailVerified, name } = details;
  return {
    subject: claims.sub,
    email: typeof email === 'string' && isEmail(email) ? email : undefined,
    // Some providers send text, which is not proof.
    isEmailVerified: isEmailVerified === true,
    name: typeof name === 'string' ? name : undefined,
    sid: isId(claims.sid) ? claims.sid : null,
    hasSecondFactor: hasStrongMethod(claims.amr),
  };
}

function hasStrongMethod(amr: unknown): boolean {
  return Array.isArray(amr) && amr.some((method) => STRONG_METHODS.has(method as string));
}

export function isId(value: unknown): value is string {
  return typeof value === 'string' && value !== '' && value.length <= ID_MAX && isStorableText(value);
}
