import type { FastifyRequest } from 'fastify';
import {
  buildAuthorizationUrl,
  calculatePKCECodeChallenge,
  randomNonce,
  randomPKCECodeVerifier,
  randomState,
} from 'openid-client';
import { SSO_CALLBACK_PATH } from '../../../../../contracts/accounts/sign-in/single-sign-on.ts';
import { MINUTE_MS } from '../../../../../contracts/values/durations.ts';
import type { Config } from '../../../../config.ts';
import type { Context } from '../../../../context.ts';
import { requireAddressWithinLimits } from '../../../../platform/http/limits/rate-limits.ts';
import type { Identity } from '../../../../platform/http/routing/identity.ts';
import { AppError } from '../../../../platform/lib/app-error.ts';
import { listFactorMethods } from '../../factors/factors.ts';
import { findIdentityOf } from '../identities/identity-queries.ts';
import { configure } from '../providers/discovery.ts';
import { getEnabledProvider, type Provider } from '../providers/providers.ts';
import { findRequiredProvider } from '../providers/required.ts';
import { isUnreachable } from './failures.ts';
import { type Purpose, startPending } from './pending.ts';

const SCOPE = 'openid email profile';
const BEGINNINGS = { limit: 100, windowMs: 15 * MINUTE_MS };

/** Where to send the browser, and the token of its cookie. */
export type Departure = { url: string; token: string };

/** From PUBLIC_URL, never from the request's host, which anybody can choose. */
export function redirectUriOf({ publicUrl }: Pick<Config, 'publicUrl'>): string {
  return publicUrl + SSO_CALLBACK_PATH;
}

/**
 * Begins a sign-in with a provider, or with the one that is required for the address's domain; undefined if none is.
 * Throws AppError `provider_not_found`, `sso_unreachable`, `too_many_requests`.
 */
export async function beginSignIn(
  context: Context,
  { providerId, email, returnTo }: Wanted,
  request: FastifyRequest,
): Promise<Departure | undefined> {
  await requireAddressWithinLimits(context, request, { key: 'sso:begin', ...BEGINNINGS });
  const provider =
    email === undefined
      ? await getEnabledProvider(context, providerId ?? '')
      : await findRequiredProvider(context, email);
  if (!provider) return undefined;
  const hint: Record<string, string> = email === undefined ? {} : { login_hint: email };
  return depart(context, provider, { purpose: { kind: 'sign-in' }, returnTo, parameters: hint });
}

type Wanted = {
  providerId?: string | undefined;
  email?: string | undefined;
  returnTo?: string | undefined;
};

/** Throws AppError `not_signed_in`, `provider_not_found`, `sso_unreachable`. */
export async function beginLink(
  context: Context,
  { user, sessionId }: Pick<Identity, 'user' | 'sessionId'>,
  providerId: string,
): Promise<Departure> {
  if (sessionId === null) throw new AppError('not_signed_in');
  const provider = await getEnabledProvider(context, providerId);
  const purpose: Purpose = { kind: 'link', userId: user.id, sessionId };
  return depart(context, provider, { purpose, parameters: {} });
}

/**
 * Begins to confirm who is signed in. Throws AppError `second_factor_required` (with the account's factors) for an
 * account with a second factor, which confirms with that, and `identity_not_found`, `provider_not_found`,
 * `sso_unreachable`.
 */
export async function beginConfirmation(
  context: Context,
  { user, sessionId }: Pick<Identity, 'user' | 'sessionId'>,
  { identityId, returnTo }: { identityId: string; returnTo?: string | undefined },
): Promise<Departure> {
  if (sessionId === null) throw new AppError('not_signed_in');
  if (user.hasSecondFactor) {
    const factors = await listFactorMethods(context.db, user.id);
    throw new AppError('second_factor_required', { details: { factors } });
  }
  const identity = await findIdentityOf(context.db, { id: identityId, userId: user.id });
  if (!identity) throw new AppError('identity_not_found');
  const provider = await getEnabledProvider(context, identity.providerId);
  const purpose: Purpose = { kind: 'step-up', userId: user.id, sessionId, identityId };
  return depart(context, provider, { purpose, returnTo, parameters: { prompt: 'login', max_age: '0' } });
}

type Journey = {
  purpose: Purpose;
  returnTo?: string | undefined;
  /** Additional ones of the authorization request. */
  parameters: Record<string, string>;
};

async function depart(
  context: Context,
  provider: Provider,
  { purpose, returnTo, parameters }: Journey,
): Promise<Departure> {
  const configuration = await configure(context, provider).catch((error) => {
    throw unreachable(context, provider, error);
  });
  const [state, nonce, codeVerifier] = [randomState(), randomNonce(), randomPKCECodeVerifier()];
  const url = buildAuthorizationUrl(configuration, {
    ...parameters,
    redirect_uri: redirectUriOf(context.config),
    response_type: 'code',
    scope: SCOPE,
    state,
    nonce,
    code_challenge: await calculatePKCECodeChallenge(codeVerifier),
    code_challenge_method: 'S256',
  });
  const pending = {
    providerId: provider.id,
    state,
    nonce,
    codeVerifier,
    purpose,
    ...(returnTo && { returnTo }),
  };
  return { url: url.href, token: await startPending(context, pending) };
}

function unreachable({ log }: Pick<Context, 'log'>, { id, name }: Provider, error: unknown): AppError {
  const reason = isUnreachable(error) ? 'unreachable' : 'unusable';
  log.warn({ providerId: id, reason, err: error }, 'the sign-in provider cannot be used');
  return new AppError('sso_unreachable', { details: { name } });
}
