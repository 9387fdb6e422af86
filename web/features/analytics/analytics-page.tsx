import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Upload } from 'lucide-react';
import { exportAnalytics, type OverallAnalytics } from '../../../contracts/analytics.ts';
import { addressOf } from '../../../contracts/endpoint.ts';
import { nameTransfer } from '../../../contracts/transfers/names.ts';
import { PAGES, transferAnalyticsPage } from '../../../contracts/values/addresses/pages.ts';
import { LinkButton } from '../../components/actions/link-button.tsx';
import { useReadableTransfers } from '../../key-ring/readable-transfers.ts';
import { usePageTitle } from '../../lib/browser/page-title.ts';
import { Link, withQuery } from '../../lib/routing.tsx';
import { AnalyticsFrame, NothingYet, useRange } from './analytics-frame.tsx';
import { useAnalytics } from './analytics-queries.ts';
import { writeDays } from './ranges.ts';
import { Ranking } from './ranking.tsx';
import { Report } from './report.tsx';
import { Section } from './section.tsx';

export function AnalyticsPage() {
  usePageTitle(t`Analytics`);
  const range = useRange();
  const query = useAnalytics(range.days, range.longestDays > 0);
  return (
    <AnalyticsFrame
      heading={
        <h1 className="text-3xl">
          <Trans>Analytics</Trans>
        </h1>
      }
      range={range}
      query={query}
      exportAddress={addressOf(exportAnalytics.path, {}, { days: range.days })}
      nothing={
        <NothingYet
          range={range}
          advice={t`Send files and share the link. Visits appear here.`}
          action={
            <LinkButton to={PAGES.upload} icon={<Upload />}>
              <Trans>Upload Files</Trans>
            </LinkButton>
          }
        />
      }
    >
      {(analytics) => (
        <Report analytics={analytics} what={<Transfers {...analytics} search={writeDays(range.days)} />} />
      )}
    </AnalyticsFrame>
  );
}

function Transfers({ transfers, search }: Pick<OverallAnalytics, 'transfers'> & { search: string }) {
  const named = useReadableTransfers(transfers) ?? [];
  const rows = named.map(({ views, downloads, ...transfer }) => ({
    key: transfer.id,
    label: (
      <Link
        to={withQuery(transferAnalyticsPage(transfer.id), search)}
        className="truncate rounded-xs py-0.5 hover:text-accent-ink hover:underline"
      >
        <bdi>{nameTransfer(transfer)}</bdi>
      </Link>
    ),
    counts: [views, downloads],
    measure: downloads,
  }));
  return (
    <Section title={t`Transfers`}>
      <Ranking columns={[t`Title`, t`Views`, t`Downloads`]} rows={rows} />
    </Section>
  );
}
