import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { ShieldCheck } from 'lucide-react';
import { secureAccount } from '../../../../contracts/accounts/settings.ts';
import { PAGES } from '../../../../contracts/values/addresses/pages.ts';
import { call } from '../../../api/call.ts';
import { usePageTitle } from '../../../lib/browser/page-title.ts';
import { LinkSteps } from './link-steps.tsx';

/** Opened by "This wasn't me" in security emails. */
export function SecureAccountPage() {
  usePageTitle(t`Secure Your Account`);
  return (
    <LinkSteps
      question={{ title: t`Secure your account`, text: <Consequences />, button: t`Secure my account` }}
      act={(token) => call(secureAccount, { body: { token } })}
      failure={t`Account not secured`}
      done={{ icon: <ShieldCheck strokeWidth={1.25} />, title: t`Your account is secured` }}
      voided={{
        text: t`It has already been used, or more than seven days have passed. To lock someone out of your account now, reset your password by email.`,
        button: t`Set a new password`,
        to: PAGES.resetPassword,
      }}
    />
  );
}

function Consequences() {
  return (
    <>
      <p className="mt-4 text-ink-soft">
        <Trans>If you didn't make this change, lock out the person who did. This will:</Trans>
      </p>
      <ul className="mt-4 flex list-disc flex-col gap-2 pl-6 text-left text-ink-soft">
        <li>
          <Trans>sign everyone out on all devices</Trans>
        </li>
        <li>
          <Trans>stop your current password from working</Trans>
        </li>
        <li>
          <Trans>remove passkeys and an authenticator app that were added since</Trans>
        </li>
        <li>
          <Trans>disable your API keys and webhooks until you enable them again in Settings</Trans>
        </li>
        <li>
          <Trans>email you a link to set a new password</Trans>
        </li>
      </ul>
    </>
  );
}
