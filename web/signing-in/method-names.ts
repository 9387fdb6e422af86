import { t } from '@lingui/core/macro';
import type { SignInMethod } from '../../contracts/accounts/sign-in/sign-in.ts';

/** How a person signed in or confirmed, as the owner reads it. */
export const METHOD_NAMES: Record<SignInMethod, string> = {
  password: t`Password`,
  passkey: t`Passkey`,
  totp: t`Authenticator app`,
  'recovery-code': t`Recovery code`,
  link: t`Link by email`,
  'email-code': t`Code by email`,
  invitation: t`Invitation`,
  oidc: t`Single sign-on`,
};
