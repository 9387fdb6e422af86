import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { ExternalLink } from 'lucide-react';
import { useState } from 'react';
import type { Invoice } from '../../../../contracts/plans/billing.ts';
import { formatCents } from '../../../../contracts/values/format.ts';
import { LoadFailure } from '../../../api/load-failure.tsx';
import { Button } from '../../../components/actions/button.tsx';
import { Badge } from '../../../components/feedback/badge.tsx';
import { Skeleton, SkeletonGroup } from '../../../components/feedback/skeleton.tsx';
import { formatLongDate } from '../../../lib/time/format-dates.ts';
import { useInvoices } from '../../../paying/subscription-queries.ts';

/** "Show all" reveals the rest. */
const SHOWN_AT_FIRST = 6;

const STATES = {
  paid: { tone: 'neutral', label: t`Paid` },
  open: { tone: 'danger', label: t`Open` },
  void: { tone: 'outline', label: t`Void` },
  refunded: { tone: 'outline', label: t`Refunded` },
} as const;

/** Newest first. Waits for `isReady`, because loading the plan may sync new invoices. */
export function PlanInvoices({ isReady }: { isReady: boolean }) {
  const { data: invoices, error, refetch } = useInvoices(isReady);
  const [isWhole, setWhole] = useState(false);
  const count = invoices?.length;
  const shown = isWhole ? invoices : invoices?.slice(0, SHOWN_AT_FIRST);
  return (
    <div className="mt-10">
      <h3 className="text-xl">
        <Trans>Invoices</Trans>
      </h3>
      <div className="mt-4">
        {shown && shown.length > 0 && (
          <ul aria-label={t`Invoices`} className="tabular flex flex-col divide-y divide-line">
            {shown.map((invoice) => (
              <InvoiceRow key={invoice.id} invoice={invoice} />
            ))}
          </ul>
        )}
        {count === 0 && (
          <p className="text-ink-soft">
            <Trans>No invoices yet.</Trans>
          </p>
        )}
        {!invoices && error && (
          <LoadFailure
            message={t`Your invoices couldn't be loaded.`}
            error={error}
            onRetry={() => void refetch()}
          />
        )}
        {!invoices && !error && (
          <SkeletonGroup label={t`Loading your invoices`}>
            <Skeleton className="h-11" />
          </SkeletonGroup>
        )}
        {shown && count !== undefined && shown.length < count && (
          <Button variant="ghost" size="sm" className="mt-4 -ml-3.5" onClick={() => setWhole(true)}>
            <Trans>Show all {count}</Trans>
          </Button>
        )}
      </div>
    </div>
  );
}

function InvoiceRow({ invoice }: { invoice: Invoice }) {
  const { number, status, amountCents, createdAt, periodStartsAt, periodEndsAt, url } = invoice;
  const { tone, label } = STATES[status];
  const day = formatLongDate(createdAt);
  return (
    <li className="flex items-start gap-4 py-3.5 first:pt-0 last:pb-0">
      <div className="min-w-0 grow">
        <p className="font-medium">{day}</p>
        <p className="text-sm text-ink-soft">
          {formatLongDate(periodStartsAt)} – {formatLongDate(periodEndsAt)}
          {number && <span className="block text-ink-faint">{number}</span>}
        </p>
      </div>
      <div className="flex flex-col items-end gap-1.5 sm:flex-row-reverse sm:items-center sm:gap-5">
        <span className="min-w-16 text-right font-medium">{formatCents(amountCents)}</span>
        <Badge tone={tone}>{label}</Badge>
      </div>
      {url && (
        <a
          href={url}
          target="_blank"
          rel="noreferrer"
          aria-label={t`Invoice of ${day}, opens in a new tab`}
          className="-my-1.5 grid size-9 shrink-0 place-items-center rounded-full text-ink-soft hover:bg-hover hover:text-ink"
        >
          <ExternalLink aria-hidden="true" className="size-4.5" />
        </a>
      )}
    </li>
  );
}
