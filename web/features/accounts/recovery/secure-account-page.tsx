import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { ShieldCheck, Unlink } from 'lucide-react';
import { useState } from 'react';
import { errorDetail } from '../../../../client/api-error.ts';
import { secureAccount } from '../../../../contracts/accounts/settings.ts';
import { PAGES } from '../../../../contracts/values/pages.ts';
import { forgetSession } from '../../../api/session/session.ts';
import { useAction } from '../../../api/use-action.ts';
import { useCoolDown } from '../../../api/use-cool-down.ts';
import { CoolDownButton } from '../../../components/actions/cool-down-button.tsx';
import { LinkButton } from '../../../components/actions/link-button.tsx';
import { usePageTitle } from '../../../lib/browser/page-title.ts';
import { AccountFrame, BackToLogin, Outcome } from '../account-frame.tsx';
import { isLinkVoid, useLinkToken } from '../use-link-token.ts';

/** Opened by "This wasn't me" in security emails. Waits for a click, because link scanners open links too. */
export function SecureAccountPage() {
  usePageTitle(t`Secure Your Account`);
  const { token, opened } = useLinkToken();
  return <Steps key={opened} token={token} />;
}

function Steps({ token }: { token: string | null }) {
  const [state, setState] = useState<'asking' | 'secured' | 'void'>(token ? 'asking' : 'void');
  if (state === 'secured') return <Secured />;
  if (state === 'void') return <VoidLink />;
  return <Question token={token!} onSecured={() => setState('secured')} onVoid={() => setState('void')} />;
}

type QuestionProps = { token: string; onSecured: () => void; onVoid: () => void };

function Question({ token, onSecured, onVoid }: QuestionProps) {
  const { secondsLeft, startAfter } = useCoolDown();
  const { mutate, isPending } = useAction(secureAccount, {
    onSuccess: () => {
      onSecured();
      // All sessions have ended, including this browser's.
      forgetSession();
    },
    failure: (error) =>
      isLinkVoid(error) ? undefined : { title: t`Account not secured`, description: errorDetail(error) },
    onError: (error) => (isLinkVoid(error) ? onVoid() : startAfter(error)),
  });
  const secure = () => mutate({ body: { token } });
  return (
    <AccountFrame>
      <h1 className="text-4xl">
        <Trans>Secure your account</Trans>
      </h1>
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
      <div className="mt-8 flex flex-col items-center gap-6">
        <CoolDownButton
          size="lg"
          isBusy={isPending}
          secondsLeft={secondsLeft}
          waitingLabel={t`Try again`}
          onClick={secure}
        >
          <Trans>Secure my account</Trans>
        </CoolDownButton>
        <BackToLogin />
      </div>
    </AccountFrame>
  );
}

function Secured() {
  return (
    <AccountFrame>
      <Outcome icon={<ShieldCheck strokeWidth={1.25} />} title={t`Your account is secured`}>
        <p className="mt-4 text-ink-soft">
          <Trans>
            Everyone was signed out. We've emailed you a link to set a new password. After that, you can
            enable your API keys and webhooks again in Settings.
          </Trans>
        </p>
        <div className="mt-8 flex flex-col items-center gap-6">
          <BackToLogin />
        </div>
      </Outcome>
    </AccountFrame>
  );
}

function VoidLink() {
  return (
    <AccountFrame>
      <Outcome icon={<Unlink strokeWidth={1.25} />} title={t`This link is no longer valid`}>
        <p className="mt-4 text-ink-soft">
          <Trans>
            It has already been used, or more than seven days have passed. To lock someone out of your account
            now, reset your password by email.
          </Trans>
        </p>
        <div className="mt-8 flex flex-col items-center gap-6">
          <LinkButton to={PAGES.resetPassword} size="lg">
            <Trans>Set a new password</Trans>
          </LinkButton>
          <BackToLogin />
        </div>
      </Outcome>
    </AccountFrame>
  );
}
