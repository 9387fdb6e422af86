import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Ban, Flag, ShieldBan, ShieldCheck } from 'lucide-react';
import { useState } from 'react';
import { type AbuseReport, listReports, settleReport } from '../../../../contracts/admin/transfers.ts';
import { nameTransfer } from '../../../../contracts/transfers/names.ts';
import { PAGES } from '../../../../contracts/values/addresses/pages.ts';
import { call } from '../../../api/call.ts';
import { useAction } from '../../../api/use-action.ts';
import { Button } from '../../../components/actions/button.tsx';
import { ConfirmDialog } from '../../../components/dialogs/confirm-dialog.tsx';
import { Badge } from '../../../components/feedback/badge.tsx';
import { EmptyState } from '../../../components/feedback/empty-state.tsx';
import { Surface } from '../../../components/layout/surface.tsx';
import { Link } from '../../../lib/routing.tsx';
import { formatDateTime } from '../../../lib/time/format-dates.ts';
import { FilterSelect } from '../lists/filter-select.tsx';
import { ListBody } from '../lists/list-body.tsx';
import { usePages } from '../lists/use-pages.ts';
import { oneOf, useView } from '../lists/use-view.ts';
import { useLast } from '../use-last.ts';
import { BlockContentDialog } from './block-content-dialog.tsx';

const STATES = ['open', 'settled'] as const;
const OPTIONS = [
  { value: '', label: t`All reports` },
  { value: 'open', label: t`Open` },
  { value: 'settled', label: t`Settled` },
];

export function Reports() {
  const { view, change, clear } = useView(['reports'] as const);
  const state = oneOf(STATES, view.reports);
  const list = usePages(listReports, { state });
  const [report, setReport] = useState<AbuseReport | null>(null);
  const [blocking, setBlocking] = useState<AbuseReport | null>(null);
  const shown = useLast(blocking ?? undefined);
  return (
    <>
      <search className="mb-6 flex w-fit max-sm:w-full">
        <FilterSelect
          label={t`State`}
          options={OPTIONS}
          value={state ?? ''}
          onChange={(reports) => change({ reports })}
        />
      </search>
      <ListBody
        list={list}
        onClear={state && clear}
        nothing={
          <EmptyState
            icon={<ShieldCheck />}
            title={t`No reports`}
            description={t`Reports from download pages appear here.`}
          />
        }
      >
        {(reports) => (
          <ul aria-label={t`Reports`} className="flex flex-col gap-3">
            {reports.map((each) => (
              <ReportCard
                key={each.id}
                report={each}
                onTakeDown={() => setReport(each)}
                onBlock={() => setBlocking(each)}
              />
            ))}
          </ul>
        )}
      </ListBody>
      <TakeDown report={report} onClose={() => setReport(null)} />
      {shown && (
        <BlockContentDialog report={shown} isOpen={blocking !== null} onClose={() => setBlocking(null)} />
      )}
    </>
  );
}

function useSettle() {
  return useAction(
    ({ id, verdict }: { id: string; verdict: 'dismiss' | 'take-down' }) =>
      call(settleReport, { params: { id }, body: { verdict } }),
    {
      outdated: [listReports],
      // Taking a transfer down settles all its reports.
      refreshes: [listReports],
      success: (_report, { verdict }) =>
        verdict === 'dismiss'
          ? { title: t`Report dismissed`, description: t`The transfer stays as it is.` }
          : { title: t`Transfer taken down`, description: t`Only its owner can open it now.` },
    },
  );
}

const REASONS: Record<string, string> = {
  malware: t`Malware`,
  phishing: t`Phishing`,
  copyright: t`Copyright`,
  illegal: t`Illegal content`,
  other: t`Something else`,
};

type ReportCardProps = { report: AbuseReport; onTakeDown: () => void; onBlock: () => void };

function ReportCard({ report, onTakeDown, onBlock }: ReportCardProps) {
  const { mutate, isPending } = useSettle();
  const { id, owner, reason, details, reporterEmail, createdAt, settledAt, isTakenDown } = report;
  return (
    <Surface as="li" padding="none" className="p-4 sm:p-5">
      <div className="flex flex-wrap items-start justify-between gap-x-6 gap-y-3">
        <div className="min-w-0">
          <h2 className="text-lg wrap-anywhere">
            <bdi>{nameTransfer(report)}</bdi>
          </h2>
          <p className="mt-0.5 text-sm text-ink-faint">
            <Trans>
              of{' '}
              <Link to={`${PAGES.adminTransfers}?owner=${encodeURIComponent(owner)}`} className="link">
                {owner}
              </Link>
            </Trans>
          </p>
        </div>
        <div className="flex flex-wrap gap-2">
          <Badge tone={settledAt ? 'neutral' : 'danger'} icon={<Flag aria-hidden="true" />}>
            {REASONS[reason] ?? reason}
          </Badge>
          {isTakenDown && (
            <Badge icon={<Ban aria-hidden="true" />}>
              <Trans>Taken down</Trans>
            </Badge>
          )}
          {settledAt && (
            <Badge tone="outline">
              <Trans>Settled</Trans>
            </Badge>
          )}
        </div>
      </div>
      {details && <p className="mt-3 max-w-[44rem] whitespace-pre-line wrap-anywhere">{details}</p>}
      <p className="mt-3 text-sm text-ink-faint">
        {reporterEmail ? (
          <Trans>
            Reported <time dateTime={createdAt}>{formatDateTime(createdAt)}</time> by {reporterEmail}
          </Trans>
        ) : (
          <Trans>
            Reported <time dateTime={createdAt}>{formatDateTime(createdAt)}</time>, without an email address
          </Trans>
        )}
        {settledAt && (
          <>
            {' · '}
            <Trans>Settled {formatDateTime(settledAt)}</Trans>
          </>
        )}
      </p>
      {!settledAt && (
        <div className="mt-4 flex flex-wrap gap-2">
          <Button
            variant="secondary"
            size="sm"
            isBusy={isPending}
            onClick={() => mutate({ id, verdict: 'dismiss' })}
          >
            <Trans>Dismiss</Trans>
          </Button>
          <Button variant="danger" size="sm" icon={<Ban aria-hidden="true" />} onClick={onTakeDown}>
            <Trans>Take down</Trans>
          </Button>
          <Button variant="secondary" size="sm" icon={<ShieldBan aria-hidden="true" />} onClick={onBlock}>
            <Trans>Block a file everywhere</Trans>
          </Button>
        </div>
      )}
    </Surface>
  );
}

function TakeDown({ report, onClose }: { report: AbuseReport | null; onClose: () => void }) {
  const { mutate, isPending } = useSettle();
  const shown = useLast(report ?? undefined);
  if (!shown) return null;
  return (
    <ConfirmDialog
      title={t`Take this transfer down?`}
      description={
        <Trans>
          Only the owner will be able to open{' '}
          <strong dir="auto" className="font-medium wrap-anywhere text-ink">
            {nameTransfer(shown)}
          </strong>
          , and all reports about it will be settled. Nothing is deleted, and you can reopen it.
        </Trans>
      }
      confirmLabel={t`Take down`}
      isDestructive
      isOpen={report !== null}
      onOpenChange={onClose}
      isBusy={isPending}
      onConfirm={() => mutate({ id: shown.id, verdict: 'take-down' }, { onSettled: onClose })}
    />
  );
}
