import { useState } from 'react';
import { DELIVERY_STATES, type DeliveryState, type Webhook } from '../../../contracts/accounts/webhooks.ts';
import { Button } from '../../components/button.tsx';
import { Select } from '../../components/select.tsx';
import { Skeleton, SkeletonGroup } from '../../components/skeleton.tsx';
import { DeliveryRow } from './delivery-row.tsx';
import { LoadFailure } from './load-failure.tsx';
import { useDeliveries } from './webhook-queries.ts';
import { STATE_WORDS } from './webhook-words.ts';

const OPTIONS = [
  { value: '', label: 'All deliveries' },
  ...DELIVERY_STATES.map((value) => ({ value, label: STATE_WORDS[value] })),
];

/** What was sent to a webhook within 30 days; it follows what happens while it is open. */
export function DeliveryLog({ webhook, name }: { webhook: Webhook; name: string }) {
  const [state, setState] = useState<DeliveryState | ''>('');
  const log = useDeliveries(webhook.id, state || undefined);
  const deliveries = log.data?.pages.flatMap(({ items }) => items);
  return (
    <div className="mt-4 rounded-lg border border-line p-4 sm:p-5">
      <div className="flex flex-wrap items-center justify-between gap-4">
        <h3 className="text-lg">Deliveries</h3>
        <Select
          label={`Which deliveries of ${name}`}
          isLabelHidden
          options={OPTIONS}
          value={state}
          onChange={({ target }) => setState(target.value as DeliveryState | '')}
          className="w-44"
        />
      </div>
      {deliveries && deliveries.length > 0 && (
        <ul aria-label={`Deliveries of ${name}`} className="mt-3 flex flex-col divide-y divide-line">
          {deliveries.map((delivery) => (
            <DeliveryRow key={delivery.id} webhook={webhook} delivery={delivery} />
          ))}
        </ul>
      )}
      {deliveries?.length === 0 && (
        <p className="mt-4 text-ink-soft">
          {state
            ? 'There are none of these.'
            : 'Nothing has been sent yet. Send a test event to see that it works.'}
        </p>
      )}
      {!deliveries && log.error && (
        <div className="mt-4">
          <LoadFailure what="The log" error={log.error} onRetry={() => void log.refetch()} />
        </div>
      )}
      {!deliveries && !log.error && (
        <SkeletonGroup label="Loading the log" className="mt-4">
          <Skeleton className="h-11" />
        </SkeletonGroup>
      )}
      {log.hasNextPage && (
        <Button
          variant="secondary"
          size="sm"
          className="mt-4"
          isBusy={log.isFetchingNextPage}
          onClick={() => void log.fetchNextPage()}
        >
          Show older
        </Button>
      )}
    </div>
  );
}
