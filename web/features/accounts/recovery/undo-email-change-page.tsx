import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { MailCheck, Unlink } from 'lucide-react';
import { useState } from 'react';
import { refusalText } from '../../../../client/api-error.ts';
import { undoEmailChange } from '../../../../contracts/accounts/settings.ts';
import { PAGES } from '../../../../contracts/values/pages.ts';
import { forgetSession } from '../../../api/session/session.ts';
import { useAction } from '../../../api/use-action.ts';
import { useCoolDown } from '../../../api/use-cool-down.ts';
import { CoolDownButton } from '../../../components/actions/cool-down-button.tsx';
import { LinkButton } from '../../../components/actions/link-button.tsx';
import { usePageTitle } from '../../../lib/browser/page-title.ts';
import { AccountFrame, BackToLogin, Outcome } from '../account-frame.tsx';
import { isLinkVoid, useLinkToken } from '../use-link-token.ts';

/** Waits for a click, because link scanners open links too. */
export function UndoEmailChangePage() {
  usePageTitle(t`Undo Email Change`);
  const { token, opened } = useLinkToken();
  return <Steps key={opened} token={token} />;
}

function Steps({ token }: { token: string | null }) {
  const [state, setState] = useState<'asking' | 'undone' | 'void'>(token ? 'asking' : 'void');
  if (state === 'undone') return <Undone />;
  if (state === 'void') return <VoidUndoLink />;
  return <Question token={token!} onUndone={() => setState('undone')} onVoid={() => setState('void')} />;
}

type QuestionProps = { token: string; onUndone: () => void; onVoid: () => void };

function Question({ token, onUndone, onVoid }: QuestionProps) {
  const { secondsLeft, startAfter } = useCoolDown();
  const { mutate, isPending } = useAction(undoEmailChange, {
    onSuccess: () => {
      onUndone();
      // All sessions have ended, including this browser's.
      forgetSession();
    },
    failure: (error) =>
      isLinkVoid(error) ? undefined : { title: t`Address not changed`, description: refusalText(error) },
    onError: (error) => (isLinkVoid(error) ? onVoid() : startAfter(error)),
  });
  const undo = () => mutate({ body: { token } });
  return (
    <AccountFrame>
      <h1 className="text-4xl">
        <Trans>Go back to your old email address?</Trans>
      </h1>
      <p className="mt-4 text-ink-soft">
        <Trans>
          Your account goes back to the address that received this email. Everyone is signed out, your
          password stops working, and API keys and webhooks are disabled. We'll email you a link to set a new
          password.
        </Trans>
      </p>
      <div className="mt-8 flex flex-col items-center gap-6">
        <CoolDownButton
          size="lg"
          isBusy={isPending}
          secondsLeft={secondsLeft}
          waitingLabel={t`Try again`}
          onClick={undo}
        >
          <Trans>Use my old address again</Trans>
        </CoolDownButton>
        <BackToLogin />
      </div>
    </AccountFrame>
  );
}

function Undone() {
  return (
    <AccountFrame>
      <Outcome icon={<MailCheck strokeWidth={1.25} />} title={t`Your old email address is back`}>
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

function VoidUndoLink() {
  return (
    <AccountFrame>
      <Outcome icon={<Unlink strokeWidth={1.25} />} title={t`This link is no longer valid`}>
        <p className="mt-4 text-ink-soft">
          <Trans>
            It has already been used, or too much time has passed. You can change your address in your
            settings at any time.
          </Trans>
        </p>
        <div className="mt-8 flex flex-col items-center gap-6">
          <LinkButton to={PAGES.settings} size="lg">
            <Trans>Open settings</Trans>
          </LinkButton>
          <BackToLogin />
        </div>
      </Outcome>
    </AccountFrame>
  );
}
