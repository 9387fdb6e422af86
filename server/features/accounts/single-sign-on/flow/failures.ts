import { AuthorizationResponseError, ClientError, ResponseBodyError } from 'openid-client';
import type { SsoOutcome } from '../../../../../contracts/accounts/sign-in/single-sign-on.ts';
import { OutgoingRefusal } from '../../../../platform/outgoing/refusal.ts';

/** Ends a sign-in with one of the sentences of `SSO_OUTCOMES`. `reason` is for the log. */
export class SsoFailure extends Error {
  override name = 'SsoFailure';
  readonly outcome: SsoOutcome;
  readonly reason: string;

  constructor(outcome: SsoOutcome, reason: string = outcome) {
    super(reason);
    this.outcome = outcome;
    this.reason = reason;
  }
}

const TEMPORARY = new Set(['temporarily_unavailable', 'server_error']);
const isTemporary = (status: number) => status >= 500 || status === 429;

/** What an error of `openid-client` means to the person who signs in. */
export function toFailure(error: unknown): SsoFailure {
  if (error instanceof SsoFailure) return error;
  if (error instanceof AuthorizationResponseError) {
    if (error.error === 'access_denied') return new SsoFailure('cancelled');
    return new SsoFailure(TEMPORARY.has(error.error) ? 'unreachable' : 'unverifiable', 'error_response');
  }
  if (isUnreachable(error)) return new SsoFailure('unreachable');
  return new SsoFailure('unverifiable', codeOf(error));
}

/** Whether the provider did not answer, or answered that it is down. */
export function isUnreachable(error: unknown): boolean {
  if (error instanceof OutgoingRefusal) return false;
  if (error instanceof ResponseBodyError) return isTemporary(error.status);
  if (error instanceof ClientError) {
    if (error.code === 'OAUTH_TIMEOUT' || error.code === 'OAUTH_ABORT') return true;
    if (error.cause instanceof Response) return isTemporary(error.cause.status);
    return error.cause instanceof Error && isUnreachable(error.cause);
  }
  if (error instanceof DOMException) return error.name === 'TimeoutError' || error.name === 'AbortError';
  // `fetch` failed: no host, no connection, no TLS.
  return error instanceof TypeError && error.message === 'fetch failed';
}

/** A fixed word for the log, without anything the provider chose. */
function codeOf(error: unknown): string {
  const { code } = error as { code?: unknown };
  return typeof code === 'string' && /^[A-Z_]+$/.test(code) ? code.toLowerCase() : 'invalid_answer';
}
