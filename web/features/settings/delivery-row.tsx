import { ChevronDown, RotateCw } from 'lucide-react';
import { useId, useState } from 'react';
import type {
  Webhook,
  WebhookDelivery,
  WebhookDeliveryDetail,
} from '../../../contracts/accounts/webhooks.ts';
import { Badge } from '../../components/badge.tsx';
import { Button } from '../../components/button.tsx';
import { Skeleton, SkeletonGroup } from '../../components/skeleton.tsx';
import { classNames } from '../../lib/class-names.ts';
import { useRelativeTime } from '../../lib/relative-time.ts';
import { LoadFailure } from './load-failure.tsx';
import { useDelivery, useReplay } from './webhook-queries.ts';
import { countTries, eventLabel, prettyJson, STATE_WORDS } from './webhook-words.ts';

type DeliveryRowProps = { webhook: Webhook; delivery: WebhookDelivery };

const TONES = { waiting: 'neutral', delivered: 'accent', failed: 'danger' } as const;

/** One event: how it stands, and unfolded both sides of the latest try. */
export function DeliveryRow({ webhook, delivery }: DeliveryRowProps) {
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
            <time dateTime={createdAt} title={new Date(createdAt).toLocaleString()}>
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
  return <p className="text-sm text-ink-faint">Next try {useRelativeTime(at)}.</p>;
}

function Detail({ webhook, delivery }: DeliveryRowProps) {
  const { data, error, refetch } = useDelivery(webhook.id, delivery);
  if (!data && error)
    return <LoadFailure what="This delivery" error={error} onRetry={() => void refetch()} />;
  if (!data)
    return (
      <SkeletonGroup label="Loading this delivery">
        <Skeleton className="h-24" />
      </SkeletonGroup>
    );
  return (
    <div className="flex flex-col gap-5">
      <Side
        title="Request"
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
  if (!response) return <p className="text-sm text-ink-soft">There is no answer.</p>;
  return (
    <Side
      title="Response"
      line={`${status} after ${(durationMs ?? 0).toLocaleString()} ms`}
      headers={response.headers}
      body={response.body}
      note={response.isTruncated ? 'Only the beginning is kept.' : undefined}
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
        Send again
      </Button>
      {!webhook.isActive && <p className="text-sm text-ink-faint">Switch the webhook on first.</p>}
    </div>
  );
}
