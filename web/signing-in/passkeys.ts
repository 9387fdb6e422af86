import { t } from '@lingui/core/macro';
import type {
  PasskeyAssertion,
  PasskeyAttestation,
  PasskeyCreation,
  PasskeyRequest,
} from '../../contracts/accounts/sign-in/passkeys.ts';

/** IPv4 and IPv6 addresses: only the latter have colons or brackets. */
const IP_ADDRESS = /^[\d.]+$|:/;

/** Why this page cannot use passkeys; undefined if it can. */
export function describePasskeyObstacle(): string | undefined {
  if (!window.isSecureContext)
    return t`Passkeys need HTTPS: they cannot be used at this address, because it starts with http://.`;
  if (typeof window.PublicKeyCredential !== 'function') return t`This browser does not support passkeys.`;
  if (IP_ADDRESS.test(location.hostname))
    return t`Passkeys need a host name: they cannot be used at this address, because it is an IP address.`;
  return undefined;
}

/** Only pages on which passkeys are used load the library. */
const loadLibrary = () => import('@simplewebauthn/browser');

/** Asks for a passkey in the browser's dialog. Rejects with an AbortError if the user cancels. */
export async function promptForPasskey(request: PasskeyRequest): Promise<PasskeyAssertion> {
  const { startAuthentication } = await loadLibrary();
  return (await startAuthentication({ optionsJSON: request }).catch(
    rethrowFor(request.rpId),
  )) as PasskeyAssertion;
}

/** Rejects with an AbortError if the user cancels. */
export async function createPasskey(creation: PasskeyCreation): Promise<PasskeyAttestation> {
  const { startRegistration } = await loadLibrary();
  return (await startRegistration({ optionsJSON: creation }).catch(
    rethrowFor(creation.rp.id),
  )) as PasskeyAttestation;
}

const rethrowFor = (host: string) => (error: Error) => {
  if (['NotAllowedError', 'AbortError'].includes(error.name))
    throw new DOMException('The passkey prompt was closed.', 'AbortError');
  if (error.name === 'InvalidStateError')
    throw new Error(t`This device or password manager already has a passkey of your account.`);
  // The page was opened by another address than PUBLIC_URL.
  if (error.name === 'SecurityError') throw new Error(t`Passkeys can only be used at the address ${host}.`);
  throw error;
};

/** Requests expire after five minutes. */
const RENEW_MS = 4 * 60_000;

/**
 * Offers passkeys among the suggestions of the field with `autocomplete="… webauthn"` until the user picks one, another
 * prompt opens, or `signal` aborts. Resolves with undefined if none was picked.
 */
export async function offerPasskeys(
  getRequest: () => Promise<PasskeyRequest>,
  signal: AbortSignal,
): Promise<PasskeyAssertion | undefined> {
  const { browserSupportsWebAuthnAutofill, startAuthentication, WebAuthnAbortService } = await loadLibrary();
  if (!(await browserSupportsWebAuthnAutofill())) return undefined;
  const cancel = () => WebAuthnAbortService.cancelCeremony();
  for (;;) {
    const optionsJSON = await getRequest();
    if (signal.aborted) return undefined;
    let isStale = false;
    const timer = setTimeout(() => {
      isStale = true;
      cancel();
    }, RENEW_MS);
    signal.addEventListener('abort', cancel);
    try {
      return (await startAuthentication({ optionsJSON, useBrowserAutofill: true })) as PasskeyAssertion;
    } catch {
      if (!isStale) return undefined;
    } finally {
      clearTimeout(timer);
      signal.removeEventListener('abort', cancel);
    }
  }
}
