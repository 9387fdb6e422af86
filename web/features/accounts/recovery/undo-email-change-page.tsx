import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { MailCheck } from 'lucide-react';
import { undoEmailChange } from '../../../../contracts/accounts/settings.ts';
import { PAGES } from '../../../../contracts/values/addresses/pages.ts';
import { call } from '../../../api/call.ts';
import { usePageTitle } from '../../../lib/browser/page-title.ts';
import { LinkSteps } from './link-steps.tsx';

export function UndoEmailChangePage() {
  usePageTitle(t`Undo Email Change`);
  return (
    <LinkSteps
      question={{
        title: t`Go back to your old email address?`,
        text: (
          <p className="mt-4 text-ink-soft">
            <Trans>
              Your account goes back to the address that received this email. Everyone is signed out, your
              password stops working, and API keys and webhooks are disabled. We'll email you a link to set a
              new password.
            </Trans>
          </p>
        ),
        button: t`Use my old address again`,
      }}
      act={(token) => call(undoEmailChange, { body: { token } })}
      failure={t`Address not changed`}
      done={{ icon: <MailCheck strokeWidth={1.25} />, title: t`Your old email address is back` }}
      voided={{
        text: t`It has already been used, or too much time has passed. You can change your address in your settings at any time.`,
        button: t`Open settings`,
        to: PAGES.settings,
      }}
    />
  );
}
