import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { useQuery } from '@tanstack/react-query';
import { MailCheck, RotateCw } from 'lucide-react';
import { useRef } from 'react';
import {
  type AdminMail,
  findRecipient,
  listMails,
  MAIL_STATES,
  retryMail,
} from '../../../../contracts/admin/system.ts';
import { TITLE_MAX } from '../../../../contracts/plans/limits.ts';
import { formatCount } from '../../../../contracts/values/format.ts';
import { call } from '../../../api/call.ts';
import { queryOf, replaceRow } from '../../../api/endpoint-query.ts';
import { useSession } from '../../../api/session/session.ts';
import { useAction } from '../../../api/use-action.ts';
import { Button } from '../../../components/actions/button.tsx';
import { type Column, DataTable } from '../../../components/data/data-table.tsx';
import { Badge } from '../../../components/feedback/badge.tsx';
import { EmptyState } from '../../../components/feedback/empty-state.tsx';
import { SearchField } from '../../../components/form/search-field.tsx';
import { formatDateTime } from '../../../lib/time/format-dates.ts';
import { AdminSection } from '../admin-page.tsx';
import { FilterSelect } from '../lists/filter-select.tsx';
import { ListBody } from '../lists/list-body.tsx';
import { usePages } from '../lists/use-pages.ts';
import { oneOf, useView } from '../lists/use-view.ts';

const STATE_WORDS: Record<AdminMail['state'], string> = {
  queued: t`Waiting`,
  sent: t`Sent`,
  failed: t`Failed`,
  dropped: t`Not sent`,
};
const OPTIONS = [
  { value: '', label: t`All states` },
  ...MAIL_STATES.map((value) => ({ value, label: STATE_WORDS[value] })),
];
const PAGE_SIZE = 20;

export function MailsSection() {
  const { view, change, clear } = useView(['mails', 'mail'] as const);
  const field = useRef<HTMLInputElement>(null);
  const state = oneOf(MAIL_STATES, view.mails);
  const list = usePages(listMails, { state, ...(view.mail && { search: view.mail }) }, PAGE_SIZE);
  return (
    <AdminSection id="mails" title={t`Mail outbox`}>
      <search className="mb-4 flex flex-wrap gap-3">
        <div className="flex min-w-[min(100%,16rem)] grow">
          <SearchField
            label={t`Search mails`}
            placeholder={t`Recipient or subject`}
            maxLength={TITLE_MAX}
            search={view.mail}
            onSearch={(mail) => change({ mail })}
            isSearching={list.isSearching}
            field={field}
          />
        </div>
        <FilterSelect
          label={t`State of mails`}
          options={OPTIONS}
          value={state ?? ''}
          onChange={(mails) => change({ mails })}
        />
      </search>
      {view.mail.includes('@') && <RecipientNote email={view.mail} />}
      <ListBody
        list={list}
        onClear={state || view.mail ? clear : undefined}
        nothing={<EmptyState icon={<MailCheck />} title={t`No mails yet`} />}
      >
        {(mails) => (
          <DataTable
            label={t`Mails`}
            rows={mails}
            keyOf={({ id }) => id}
            heading={{
              label: t`Mail`,
              render: ({ subject }) => (
                <p title={subject} className="font-medium max-roomy:wrap-anywhere roomy:truncate">
                  {subject}
                </p>
              ),
            }}
            columns={COLUMNS}
            details={{ nameOf: ({ subject }) => subject, render: (mail) => <Details mail={mail} /> }}
            actions={(mail) => mail.state === 'failed' && <Retry mail={mail} />}
          />
        )}
      </ListBody>
    </AdminSection>
  );
}

/** Explains why an address got no mail where the list can't: unsubscribed, or nothing queued. */
function RecipientNote({ email }: { email: string }) {
  const { data } = useQuery({
    ...queryOf(findRecipient, { query: { email } }),
    refetchOnMount: 'always',
  });
  if (!data || (data.mails > 0 && !data.unsubscribedAt)) return null;
  return (
    <div role="status" className="mb-6 rounded-lg border border-line bg-surface p-4 text-sm text-ink-soft">
      {data.unsubscribedAt && (
        <p>
          <Trans>
            <strong className="font-medium wrap-anywhere text-ink">{email}</strong> unsubscribed on{' '}
            {formatDateTime(data.unsubscribedAt)}: emails caused by senders are not sent to this address.
          </Trans>
        </p>
      )}
      {data.mails === 0 && (
        <p className={data.unsubscribedAt ? 'mt-2' : ''}>
          <Trans>
            No mail to exactly <strong className="font-medium wrap-anywhere text-ink">{email}</strong> was
            queued in the last 90 days, or it was deleted with its transfer or account.
          </Trans>
        </p>
      )}
    </div>
  );
}

const COLUMNS: Column<AdminMail>[] = [
  {
    label: t`Recipient`,
    isWide: true,
    render: ({ recipient }) => (
      <span title={recipient} className="block max-roomy:wrap-anywhere roomy:truncate">
        {recipient}
      </span>
    ),
  },
  { label: t`State`, isWide: true, render: (mail) => <State mail={mail} /> },
  { label: t`Tries`, isNumber: true, render: ({ attempts }) => formatCount(attempts) },
  {
    label: t`When`,
    render: ({ createdAt, sentAt }) => (
      <time dateTime={sentAt ?? createdAt}>{formatDateTime(sentAt ?? createdAt)}</time>
    ),
  },
];

/** The reason is cut to one line; the details have all of it. */
function State({ mail: { state, reason } }: { mail: AdminMail }) {
  // The banner above the page explains it for all mails.
  const { user } = useSession();
  const isKept = user?.hasMailServer === false && state === 'queued';
  return (
    <span className="flex min-w-0 items-center gap-2">
      <Badge tone={state === 'failed' ? 'danger' : 'neutral'}>{STATE_WORDS[state]}</Badge>
      {reason && !isKept && <span className="min-w-0 truncate text-ink-soft">{reason}</span>}
    </span>
  );
}

function Details({ mail: { kind, reason, nextTryAt } }: { mail: AdminMail }) {
  return (
    <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-5 gap-y-1.5">
      <dt className="text-ink-faint">
        <Trans>Kind</Trans>
      </dt>
      <dd className="text-ink-soft">{kind}</dd>
      {reason && (
        <>
          <dt className="text-ink-faint">
            <Trans>Reason</Trans>
          </dt>
          <dd className="wrap-anywhere text-ink-soft">{reason}</dd>
        </>
      )}
      {nextTryAt && (
        <>
          <dt className="text-ink-faint">
            <Trans>Next try</Trans>
          </dt>
          <dd className="text-ink-soft">{formatDateTime(nextTryAt)}</dd>
        </>
      )}
    </dl>
  );
}

function Retry({ mail }: { mail: AdminMail }) {
  const { mutate, isPending } = useAction(() => call(retryMail, { params: { id: mail.id } }), {
    outdated: [listMails],
    onSuccess: (row) => replaceRow(listMails, row),
    success: ({ recipient }) => ({
      title: t`Mail queued`,
      description: t`It will be sent to ${recipient} again.`,
    }),
  });
  return (
    <Button
      variant="secondary"
      size="sm"
      icon={<RotateCw aria-hidden="true" />}
      aria-label={t`Retry: ${mail.subject} to ${mail.recipient}`}
      isBusy={isPending}
      onClick={() => mutate()}
    >
      <Trans>Retry</Trans>
    </Button>
  );
}
