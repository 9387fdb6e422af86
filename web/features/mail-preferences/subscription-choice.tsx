import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Mail, MailX } from 'lucide-react';
import { useState } from 'react';
import {
  getMailSubscription,
  resubscribe,
  type UnsubscribeScope,
  unsubscribe,
} from '../../../contracts/accounts/mail-preferences.ts';
import { call } from '../../api/call.ts';
import { queryClient, queryKeyOf } from '../../api/query-client.ts';
import { useAction } from '../../api/use-action.ts';
import { Button } from '../../components/actions/button.tsx';
import { VisuallyHidden } from '../../components/layout/visually-hidden.tsx';
import { MailFrame } from './mail-frame.tsx';
import { Sign } from './sign.tsx';
import { WORDS } from './wording.ts';

type Subscription = { email: string; scope: UnsubscribeScope; isUnsubscribed: boolean };

type SubscriptionChoiceProps = { token: string; subscription: Subscription };

export function SubscriptionChoice({ token, subscription }: SubscriptionChoiceProps) {
  const { email, scope, isUnsubscribed } = subscription;
  const words = WORDS[scope];
  const [news, setNews] = useState('');
  const params = { token };
  const change = useAction(
    () => (isUnsubscribed ? call(resubscribe, { params }) : call(unsubscribe, { params })),
    {
      onSuccess: () => {
        const changed = { ...subscription, isUnsubscribed: !isUnsubscribed };
        queryClient.setQueryData<Subscription>(queryKeyOf(getMailSubscription, { params }), changed);
        setNews(isUnsubscribed ? words.resumed : words.stopped);
      },
      failure: t`Nothing was changed`,
    },
  );
  return (
    <MailFrame water={isUnsubscribed ? 'still' : 'moving'}>
      <Sign icon={isUnsubscribed ? <MailX strokeWidth={1.25} /> : <Mail strokeWidth={1.25} />} />
      <h1 className="mt-6 text-4xl">{isUnsubscribed ? words.stopped : words.question}</h1>
      <p className="mt-4 text-lg text-ink-soft">
        {isUnsubscribed ? (
          <Trans>
            We no longer send them to <strong className="font-medium wrap-anywhere text-ink">{email}</strong>.
          </Trans>
        ) : (
          <Trans>
            We currently send them to <strong className="font-medium wrap-anywhere text-ink">{email}</strong>.
          </Trans>
        )}
      </p>
      <Button
        className="mt-9"
        size="lg"
        variant={isUnsubscribed ? 'secondary' : 'primary'}
        isBusy={change.isPending}
        onClick={() => change.mutate()}
      >
        {isUnsubscribed ? t`Undo` : t`Unsubscribe`}
      </Button>
      <p className="mx-auto mt-9 max-w-[30rem] text-sm text-ink-soft">{words.rest}</p>
      <VisuallyHidden isAnnounced>{news}</VisuallyHidden>
    </MailFrame>
  );
}
