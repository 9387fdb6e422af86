import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { ChevronDown, RotateCw } from 'lucide-react';
import { useId, useState } from 'react';
import {
  DELIVERY_STATES,
  type DeliveryState,
  type Webhook,
  type WebhookDelivery,
  type WebhookDeliveryDetail,
} from '../../../../contracts/accounts/webhooks.ts';
import { formatCount } from '../../../../contracts/values/format.ts';
import { LoadFailure } from '../../../api/load-failure.tsx';
import { Button } from '../../../components/actions/button.tsx';
import { Badge } from '../../../components/feedback/badge.tsx';
import { Skeleton, SkeletonGroup } from '../../../components/feedback/skeleton.tsx';
import { Select } from '../../../components/form/select.tsx';
import { classNames } from '../../../lib/class-names.ts';
import { formatDateTime } from '../../../lib/time/format-dates.ts';
import { useRelativeTime } from '../../../lib/time/relative-time.ts';
import { countTries, eventLabel, prettyJson, STATE_WORDS } from './webhook-labels.ts';
import { useDeliveries, useDelivery, useReplay } from './webhook-queries.ts';

const OPTIONS = [
  { value: '', label: t`All deliveries` },
  ...DELIVERY_STATES.map((value) => ({ value, label: STATE_WORDS[value] })),
];

/** Deliveries of the last 30 days, updated while the log is open. */
export function DeliveryLog({ webhook, name }: { webhook: Webhook; name: string }) {
  const [state, setState] = useState<DeliveryState | ''>('');
  const log = useDeliveries(webhook.id, state || undefined);
  const deliveries = log.data?.pages.flatMap(({ items }) => items);
  return (
    <div className="mt-4 rounded-lg border border-line p-4 sm:p-5">
      <div className="flex flex-wrap items-center justify-between gap-4">
        <h3 className="text-lg">
          <Trans>Deliveries</Trans>
        </h3>
        <Select
          label={t`Filter deliveries of ${name}`}
          isLabelHidden
          options={OPTIONS}
          value={state}
          onChange={({ target }) => setState(target.value as DeliveryState | '')}
          className="w-44"
        />
      </div>
      {deliveries && deliveries.length > 0 && (
        <ul aria-label={t`Deliveries of ${name}`} className="mt-3 flex flex-col divide-y divide-line">
          {deliveries.map((delivery) => (
            <DeliveryRow key={delivery.id} webhook={webhook} delivery={delivery} />
          ))}
        </ul>
      )}
      {deliveries?.length === 0 && (
        <p className="mt-4 text-ink-soft">
          {state
            ? t`No deliveries match this filter.`
            : t`Nothing has been sent yet. Send a test event to check that it works.`}
        </p>
      )}
      {!deliveries && log.error && (
        <div className="mt-4">
          <LoadFailure
            message={t`The log couldn't be loaded.`}
            error={log.error}
            onRetry={() => void log.refetch()}
          />
        </div>
      )}
      {!deliveries && !log.error && (
        <SkeletonGroup label={t`Loading the log`} className="mt-4">
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
          <Trans>Show older</Trans>
        </Button>
      )}
    </div>
  );
}

type DeliveryRowProps = { webhook: Webhook; delivery: WebhookDelivery };

const TONES = { waiting: 'neutral', delivered: 'accent', failed: 'danger' } as const;

/** One delivery; expands to the request and response of the latest attempt. */
function DeliveryRow({ webhook, delivery }: DeliveryRowProps) {
  const [isOpen, setOpen] = useState(false);
  const detailId = useId();
  const { type, state, createdAt, attempts, status, error, nextTryAt } = delivery;
  const when = useRelativeTime(createdAt);
  return (
    <li className="py-3 last:pb-0">
      <button
        type="button"
        aria-expanded={isOpen}
        aria-controls={isOpen ? detailId : undefined}
        onClick={() => setOpen(!isOpen)}
        className="flex w-full items-center gap-3 rounded-md py-1 text-left"
      >
        <span className="tabular flex min-w-0 grow flex-wrap items-center gap-x-3 gap-y-1">
          <span className="font-medium">{eventLabel(type)}</span>
          <Badge tone={TONES[state]}>{STATE_WORDS[state]}</Badge>
          <span className="text-sm text-ink-soft">
            <time dateTime={createdAt} title={formatDateTime(createdAt)}>
              {when}
            </time>
            {status !== null && ` · ${status}`}
            {attempts > 0 && ` · ${countTries(attempts)}`}
          </span>
        </span>
        <ChevronDown
          aria-hidden="true"
          className={classNames(
            'size-4.5 shrink-0 text-ink-soft transition-transform duration-(--quick)',
            isOpen && 'rotate-180',
          )}
        />
      </button>
      {error && <p className="text-sm wrap-anywhere text-ink-soft">{error}</p>}
      {state === 'waiting' && attempts > 0 && nextTryAt && <NextTry at={nextTryAt} />}
      {isOpen && (
        <div id={detailId} className="mt-3">
          <Detail webhook={webhook} delivery={delivery} />
        </div>
      )}
    </li>
  );
}

function NextTry({ at }: { at: string }) {
  const when = useRelativeTime(at);
  return (
    <p className="text-sm text-ink-faint">
      <Trans>Next attempt {when}.</Trans>
    </p>
  );
}

function Detail({ webhook, delivery }: DeliveryRowProps) {
  const { data, error, refetch } = useDelivery(webhook.id, delivery);
  if (!data && error)
    return (
      <LoadFailure
        message={t`This delivery couldn't be loaded.`}
        error={error}
        onRetry={() => void refetch()}
      />
    );
  if (!data)
    return (
      <SkeletonGroup label={t`Loading this delivery`}>
        <Skeleton className="h-24" />
      </SkeletonGroup>
    );
  return (
    <div className="flex flex-col gap-5">
      <Side
        title={t`Request`}
        line={`POST ${data.request.url}`}
        headers={data.request.headers}
        body={data.request.body}
      />
      <Answer detail={data} />
      <Replay webhook={webhook} delivery={delivery} />
    </div>
  );
}

function Answer({ detail: { status, response, durationMs } }: { detail: WebhookDeliveryDetail }) {
  const statusCode = status ?? 0;
  const duration = formatCount(durationMs ?? 0);
  if (!response)
    return (
      <p className="text-sm text-ink-soft">
        <Trans>No response.</Trans>
      </p>
    );
  return (
    <Side
      title={t`Response`}
      line={t`${statusCode} after ${duration} ms`}
      headers={response.headers}
      body={response.body}
      note={response.isTruncated ? t`Only the beginning is stored.` : undefined}
    />
  );
}

type SideProps = {
  title: string;
  line: string;
  headers: { name: string; value: string }[];
  body: string;
  note?: string | undefined;
};

function Side({ title, line, headers, body, note }: SideProps) {
  const lines = [line, ...headers.map(({ name, value }) => `${name}: ${value}`)];
  const text = [lines.join('\n'), body && prettyJson(body)].filter(Boolean).join('\n\n');
  return (
    <div>
      <h4 className="font-sans text-sm font-medium">{title}</h4>
      <section
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by the keyboard.
        tabIndex={0}
        aria-label={title}
        className="mt-2 max-h-80 overflow-auto rounded-lg bg-sunken px-4 py-3"
      >
        <pre className="font-mono text-xs leading-relaxed wrap-anywhere whitespace-pre-wrap">{text}</pre>
      </section>
      {note && <p className="mt-1.5 text-sm text-ink-faint">{note}</p>}
    </div>
  );
}

function Replay({ webhook, delivery }: DeliveryRowProps) {
  const { mutate, isPending } = useReplay(webhook.id, delivery.id);
  return (
    <div className="flex flex-wrap items-center gap-3">
      <Button
        variant="secondary"
        size="sm"
        icon={<RotateCw aria-hidden="true" />}
        disabled={!webhook.isActive}
        isBusy={isPending}
        onClick={() => mutate()}
      >
        <Trans>Send again</Trans>
      </Button>
      {!webhook.isActive && (
        <p className="text-sm text-ink-faint">
          <Trans>Turn on the webhook first.</Trans>
        </p>
      )}
    </div>
  );
}
