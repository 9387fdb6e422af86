import { t } from '@lingui/core/macro';
import { SECOND_FACTORS, type SecondFactor } from '../../contracts/accounts/sign-in/sign-in.ts';
import type { SsoOutcome } from '../../contracts/accounts/sign-in/single-sign-on.ts';

/** How a visit to a provider ended, as the server adds it to the address of the page that opens then. */
export type SsoReturn = {
  outcome: SsoOutcome;
  providerId: string | null;
  /** Those that can finish the sign-in, after `second-factor`. */
  factors: SecondFactor[];
};

const PARAMETERS = { outcome: 'sso', provider: 'provider', factors: 'factors' };

/** Undefined for an address without a known outcome. */
export function readSsoReturn(search: string): SsoReturn | undefined {
  const parameters = new URLSearchParams(search);
  const outcome = parameters.get(PARAMETERS.outcome);
  if (outcome === null || !Object.hasOwn(SENTENCES, outcome)) return undefined;
  const named = new Set(parameters.get(PARAMETERS.factors)?.split(','));
  return {
    outcome: outcome as SsoOutcome,
    providerId: parameters.get(PARAMETERS.provider),
    factors: SECOND_FACTORS.filter((factor) => named.has(factor)),
  };
}

/** The query without the outcome; other parameters, such as `?next=`, stay. */
export function withoutSsoReturn(search: string): string {
  const parameters = new URLSearchParams(search);
  if (!parameters.has(PARAMETERS.outcome)) return search;
  for (const name of Object.values(PARAMETERS)) parameters.delete(name);
  return parameters.size > 0 ? `?${parameters}` : '';
}

/** One sentence with a way forward. `name` is the provider's, undefined if it is no longer offered. */
export function describeOutcome(outcome: SsoOutcome, name: string | undefined): string {
  const sentence = SENTENCES[outcome](name ?? t`this provider`);
  return name === undefined ? sentence.charAt(0).toUpperCase() + sentence.slice(1) : sentence;
}

const SENTENCES: Record<SsoOutcome, (name: string) => string> = {
  'second-factor': () => t`Please confirm that it's you with your second factor.`,
  linked: (name) => t`You can now sign in with ${name}.`,
  confirmed: () => t`Thank you, that's confirmed. Please repeat what you wanted to do.`,
  cancelled: (name) => t`The sign-in with ${name} was canceled.`,
  expired: () => t`This sign-in has expired, or it was started in another browser. Please start again.`,
  unreachable: (name) => t`${name} can't be reached right now. Try again in a few minutes.`,
  unverifiable: (name) =>
    t`The answer of ${name} could not be verified. Please try again, or ask your administrator.`,
  'provider-off': (name) => t`Signing in with ${name} is turned off here. Please ask your administrator.`,
  'account-exists': (name) =>
    t`An account with this email address exists. Sign in with your password, then link ${name} in Settings › Security.`,
  'no-account': () => t`There is no account for you here yet. Please ask your administrator for one.`,
  'domain-not-allowed': (name) =>
    t`Your email address is not allowed to sign in with ${name}. Please ask your administrator.`,
  'email-unverified': (name) =>
    t`${name} has not confirmed your email address. If you have an account here, sign in with your password, then link ${name} in Settings › Security.`,
  'linked-elsewhere': (name) => t`This sign-in of ${name} is linked to another account already.`,
  'signed-out': () => t`You were signed out in the meantime. Please sign in and try again.`,
  'other-identity': (name) => t`This is another account at ${name} than the one that is linked here.`,
  'not-confirmed': (name) =>
    t`${name} did not ask you to sign in again, so this could not be confirmed. Please try again.`,
  'too-many': () => t`Too many attempts. Please wait a few minutes and try again.`,
  failed: () => t`Something went wrong on our side. Please try again.`,
};
