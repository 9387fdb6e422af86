import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { useQuery } from '@tanstack/react-query';
import { Unlink } from 'lucide-react';
import { useParams } from 'wouter';
import { ApiError, errorDetail } from '../../../client/api-error.ts';
import { getMailSubscription } from '../../../contracts/accounts/mail-preferences.ts';
import { queryOf } from '../../api/endpoint-query.ts';
import { Button } from '../../components/actions/button.tsx';
import { Spinner } from '../../components/feedback/spinner.tsx';
import { usePageTitle } from '../../lib/browser/page-title.ts';
import { MailFrame } from './mail-frame.tsx';
import { Sign } from './sign.tsx';
import { SubscriptionChoice } from './subscription-choice.tsx';

/** Opened by the unsubscribe link in emails. Waits for a click, because mail scanners open links too. */
export function UnsubscribePage() {
  usePageTitle(t`Unsubscribe`);
  const { token = '' } = useParams();
  const { data, error, isFetching, refetch } = useQuery(queryOf(getMailSubscription, { params: { token } }));
  if (data) return <SubscriptionChoice token={token} subscription={data} />;
  if (error && !isFetching) return <Unreadable error={error} onRetry={() => void refetch()} />;
  return (
    <MailFrame water="still">
      <p role="status" className="flex items-center justify-center gap-3 text-ink-soft">
        <Spinner /> <Trans>Loading your email settings</Trans>
      </p>
    </MailFrame>
  );
}

function Unreadable({ error, onRetry }: { error: Error; onRetry: () => void }) {
  const isVoid = error instanceof ApiError && error.status < 429;
  return (
    <MailFrame water="still">
      <Sign icon={<Unlink strokeWidth={1.25} />} />
      <h1 className="mt-6 text-4xl">
        {isVoid ? t`This link is no longer valid` : t`This page could not be loaded`}
      </h1>
      <p className="mt-4 text-lg text-ink-soft">
        {isVoid
          ? t`Check that you copied the whole link, or use the link in a newer email.`
          : errorDetail(error)}
      </p>
      {!isVoid && (
        <Button variant="secondary" className="mt-8" onClick={onRetry}>
          <Trans>Try again</Trans>
        </Button>
      )}
    </MailFrame>
  );
}
