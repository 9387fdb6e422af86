import { MailCheck, Unlink } from 'lucide-react';
import { useState } from 'react';
import { ApiError, refusalText } from '../../../client/api-error.ts';
import { undoEmailChange } from '../../../contracts/accounts/settings.ts';
import { PAGES } from '../../../contracts/values/pages.ts';
import { call } from '../../api/call.ts';
import { forgetSession } from '../../api/session.ts';
import { useCoolDown } from '../../api/use-cool-down.ts';
import { CoolDownButton } from '../../components/actions/cool-down-button.tsx';
import { LinkButton } from '../../components/actions/link-button.tsx';
import { toast } from '../../components/feedback/toast.ts';
import { usePageTitle } from '../../lib/browser/page-title.ts';
import { AccountFrame, BackToLogin, Outcome } from './account-frame.tsx';
import { useLinkToken } from './use-link-token.ts';

/** Undoes a change of the email address. Waits for a click, because link scanners open links too. */
export function UndoEmailChangePage() {
  usePageTitle('Undo Email Change');
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
  const [isBusy, setBusy] = useState(false);
  const { secondsLeft, startAfter } = useCoolDown();
  const undo = async () => {
    setBusy(true);
    try {
      await call(undoEmailChange, { body: { token } });
      onUndone();
      // All sessions have ended, this browser's too.
      forgetSession();
    } catch (error) {
      if (error instanceof ApiError && error.code === 'link_void') return onVoid();
      setBusy(false);
      startAfter(error);
      toast({ title: 'Address not changed', description: refusalText(error), variant: 'destructive' });
    }
  };
  return (
    <AccountFrame>
      <h1 className="text-4xl">Take your old address back?</h1>
      <p className="mt-4 text-ink-soft">
        Your account gets the address that this mail came to. Everybody is signed out, your password stops
        working, and API keys and webhooks are disabled. We'll email you a link to set a new password.
      </p>
      <div className="mt-8 flex flex-col items-center gap-6">
        <CoolDownButton
          size="lg"
          isBusy={isBusy}
          secondsLeft={secondsLeft}
          waitingLabel="Try again"
          onClick={undo}
        >
          Use my old address again
        </CoolDownButton>
        <BackToLogin />
      </div>
    </AccountFrame>
  );
}

function Undone() {
  return (
    <AccountFrame>
      <Outcome icon={<MailCheck strokeWidth={1.25} />} title="Your old address is back">
        <p className="mt-4 text-ink-soft">
          Everybody was signed out. We've emailed you a link to set a new password. Afterwards you can enable
          your API keys and webhooks again in Settings.
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
      <Outcome icon={<Unlink strokeWidth={1.25} />} title="This link is no longer valid">
        <p className="mt-4 text-ink-soft">
          It was used already, or too much time has passed. In your settings you can change your address at
          any time.
        </p>
        <div className="mt-8 flex flex-col items-center gap-6">
          <LinkButton to={PAGES.settings} size="lg">
            Open settings
          </LinkButton>
          <BackToLogin />
        </div>
      </Outcome>
    </AccountFrame>
  );
}
