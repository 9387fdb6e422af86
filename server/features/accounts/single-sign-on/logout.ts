import { decodeJwt, type JWTPayload, jwtVerify } from 'jose';
import { buildEndSessionUrl } from 'openid-client';
import { PAGES } from '../../../../contracts/values/addresses/pages.ts';
import { MINUTE_MS, SECOND_MS } from '../../../../contracts/values/durations.ts';
import type { Config } from '../../../config.ts';
import type { Context } from '../../../context.ts';
import { transaction } from '../../../platform/db/transaction.ts';
import { claimFirstSighting } from '../../../platform/http/limits/rate-limits.ts';
import { hashToken } from '../../../platform/lib/tokens.ts';
import { recordAccountEvent } from '../events/events.ts';
import { deleteSecondFactorAttemptsOf } from '../sign-in/attempts.ts';
import { endSession } from '../sign-in/sessions/sessions.ts';
import { SsoFailure } from './flow/failures.ts';
import { isId } from './flow/verify-answer.ts';
import {
  deleteSessionsOfProvider,
  findIdentity,
  findProviderOfSession,
} from './identities/identity-queries.ts';
import { CLOCK_TOLERANCE, configure, findKeys } from './providers/discovery.ts';
import { findProvider, listProviders, type Provider } from './providers/providers.ts';

const LOGOUT_EVENT = 'http://schemas.openid.net/event/backchannel-logout';
/** Providers send logout tokens at once; older ones may be replayed. */
const TOKEN_AGE_MS = 10 * MINUTE_MS;

/** Of the page that opens after signing out at the provider. It must not redirect back to the provider. */
export function postLogoutRedirectUriOf({ publicUrl }: Pick<Config, 'publicUrl'>): string {
  return `${publicUrl}${PAGES.auth}?signed-out`;
}

/**
 * Ends a session. Returns where the browser signs out at the provider with which it began; undefined if it began
 * otherwise, or if the provider has no such address or cannot be reached.
 */
export async function endSessionAndFindLogoutUrl(
  context: Context,
  token: string,
): Promise<string | undefined> {
  const providerId = await findProviderOfSession(context.db, hashToken(token));
  await endSession(context, token);
  const provider = providerId === undefined ? undefined : await findProvider(context, providerId);
  if (!provider) return undefined;
  try {
    const configuration = await configure(context, provider);
    if (!configuration.serverMetadata().end_session_endpoint) return undefined;
    const post_logout_redirect_uri = postLogoutRedirectUriOf(context.config);
    return buildEndSessionUrl(configuration, { post_logout_redirect_uri }).href;
  } catch (error) {
    // Signing out here must work while the provider is down.
    context.log.warn({ providerId, err: error }, 'the provider’s address for signing out is unknown');
    return undefined;
  }
}

/**
 * Ends the sessions that a logout token names (OpenID Connect Back-Channel Logout 1.0, section 2.6). Returns the users.
 * Throws SsoFailure for a token that is not valid or was used before.
 */
export async function endSessionsByLogoutToken(
  context: Context,
  token: string,
): Promise<{ provider: Provider; userIds: string[] }> {
  const provider = await findSender(context, token);
  const claims = await verifyLogoutToken(context, provider, token);
  const { sid, sub, jti } = claims;
  const key = `sso:logout-token:${hashToken(`${provider.id}\n${jti}`)}`;
  const windowMs = TOKEN_AGE_MS + 2 * CLOCK_TOLERANCE * SECOND_MS;
  const userIds = await transaction(context.db, async (trx) => {
    if (!(await claimFirstSighting({ ...context, db: trx }, { key, windowMs }))) throw refused('replayed');
    const { id: providerId, issuer } = provider;
    const identity =
      sub === undefined ? undefined : await findIdentity(trx, { providerId, issuer, subject: sub });
    if (sub !== undefined && !identity) return [];
    if (identity) await deleteSecondFactorAttemptsOf(trx, identity.userId);
    const ended = await deleteSessionsOfProvider(trx, {
      providerId,
      ...(identity && { userId: identity.userId }),
      ...(sid !== undefined && { sid }),
    });
    for (const userId of ended)
      await recordAccountEvent(
        { ...context, db: trx },
        { userId, kind: 'sessions-ended', details: { method: 'oidc', name: provider.name } },
      );
    return ended;
  });
  return { provider, userIds };
}

/** By claims that are not verified yet. */
async function findSender(context: Context, token: string): Promise<Provider> {
  const { iss, aud } = decode(token);
  const audiences = new Set([aud].flat());
  const providers = await listProviders(context);
  const sender = providers.find(
    ({ issuer, clientId, isEnabled }) => isEnabled && issuer === iss && audiences.has(clientId),
  );
  if (!sender) throw refused('unknown_sender');
  return sender;
}

function decode(token: string): JWTPayload {
  try {
    return decodeJwt(token);
  } catch {
    throw refused('malformed');
  }
}

type LogoutClaims = { jti: string; sub?: string; sid?: string };

async function verifyLogoutToken(context: Context, provider: Provider, token: string): Promise<LogoutClaims> {
  const { issuer, clientId } = provider;
  const { keys, algorithms } = await findKeys(context, issuer);
  const { payload, protectedHeader } = await jwtVerify(token, keys, {
    issuer,
    audience: clientId,
    algorithms,
    clockTolerance: CLOCK_TOLERANCE,
    maxTokenAge: TOKEN_AGE_MS / SECOND_MS,
    requiredClaims: ['jti', 'iat', 'events'],
  }).catch((error: { code?: string }) => {
    throw refused(error.code ?? 'unreachable');
  });
  const { events, jti, sub, sid, nonce } = payload;
  const type = protectedHeader.typ?.toLowerCase().replace(/^application\//, '');
  const isTyped = type === undefined || type === 'jwt' || type === 'logout+jwt';
  const event = (events as Record<string, unknown> | null)?.[LOGOUT_EVENT];
  const isLogout = typeof event === 'object' && event !== null && nonce === undefined;
  const areIdsValid = [sub, sid].every((id) => id === undefined || isId(id)) && (sub ?? sid) !== undefined;
  if (!isTyped || !isLogout || !isId(jti) || !areIdsValid) throw refused('no_logout_token');
  return { jti, ...(sub !== undefined && { sub }), ...(isId(sid) && { sid }) };
}

function refused(reason: string): SsoFailure {
  return new SsoFailure('unverifiable', reason.toLowerCase());
}
