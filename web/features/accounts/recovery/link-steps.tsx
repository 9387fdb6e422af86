import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Unlink } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { refusalText } from '../../../../client/api-error.ts';
import { forgetSession } from '../../../api/session/session.ts';
import { useAction } from '../../../api/use-action.ts';
import { useCoolDown } from '../../../api/use-cool-down.ts';
import { CoolDownButton } from '../../../components/actions/cool-down-button.tsx';
import { LinkButton } from '../../../components/actions/link-button.tsx';
import { AccountFrame, BackToLogin, Outcome } from '../account-frame.tsx';
import { isLinkVoid, useLinkToken } from '../use-link-token.ts';

type LinkStepsProps = {
  /** Waits for a click, because link scanners open links too. */
  question: { title: string; text: ReactNode; button: string };
  act: (token: string) => Promise<unknown>;
  /** The title of the toast. */
  failure: string;
  done: { icon: ReactNode; title: string };
  /** The link was used, has expired, or is incomplete. */
  voided: { text: ReactNode; button: string; to: string };
};

/** What an emailed link asks, does and answers that ends all sessions of an account. */
export function LinkSteps(props: LinkStepsProps) {
  const { token, opened } = useLinkToken();
  return <Steps key={opened} token={token} {...props} />;
}

function Steps({ token, done, voided, ...question }: LinkStepsProps & { token: string | null }) {
  const [state, setState] = useState<'asking' | 'done' | 'void'>(token ? 'asking' : 'void');
  if (state === 'done')
    return (
      <Ending {...done}>
        <Trans>
          Everyone was signed out. We've emailed you a link to set a new password. After that, you can enable
          your API keys and webhooks again in Settings.
        </Trans>
      </Ending>
    );
  if (state === 'void')
    return (
      <Ending
        icon={<Unlink strokeWidth={1.25} />}
        title={t`This link is no longer valid`}
        action={
          <LinkButton to={voided.to} size="lg">
            {voided.button}
          </LinkButton>
        }
      >
        {voided.text}
      </Ending>
    );
  return (
    <Question token={token!} {...question} onDone={() => setState('done')} onVoid={() => setState('void')} />
  );
}

type QuestionProps = Pick<LinkStepsProps, 'question' | 'act' | 'failure'> & {
  token: string;
  onDone: () => void;
  onVoid: () => void;
};

function Question({ token, question, act, failure, onDone, onVoid }: QuestionProps) {
  const { secondsLeft, startAfter } = useCoolDown();
  const { mutate, isPending } = useAction(act, {
    onSuccess: () => {
      onDone();
      // All sessions have ended, including this browser's.
      forgetSession();
    },
    failure: (error) => (isLinkVoid(error) ? undefined : { title: failure, description: refusalText(error) }),
    onError: (error) => (isLinkVoid(error) ? onVoid() : startAfter(error)),
  });
  return (
    <AccountFrame>
      <h1 className="text-4xl">{question.title}</h1>
      {question.text}
      <div className="mt-8 flex flex-col items-center gap-6">
        <CoolDownButton
          size="lg"
          isBusy={isPending}
          secondsLeft={secondsLeft}
          waitingLabel={t`Try again`}
          onClick={() => mutate(token)}
        >
          {question.button}
        </CoolDownButton>
        <BackToLogin />
      </div>
    </AccountFrame>
  );
}

type EndingProps = { icon: ReactNode; title: string; action?: ReactNode; children: ReactNode };

function Ending({ icon, title, action, children }: EndingProps) {
  return (
    <AccountFrame>
      <Outcome icon={icon} title={title}>
        <p className="mt-4 text-ink-soft">{children}</p>
        <div className="mt-8 flex flex-col items-center gap-6">
          {action}
          <BackToLogin />
        </div>
      </Outcome>
    </AccountFrame>
  );
}
