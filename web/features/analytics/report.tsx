import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import type { ReactNode } from 'react';
import type { Analytics } from '../../../contracts/analytics.ts';
import { formatCount } from '../../../contracts/values/format.ts';
import { CountriesSection } from './countries/countries-section.tsx';
import { formatShare, nameOfDevice, nameOfReferer } from './format.ts';
import { Ranking } from './ranking.tsx';
import { Section } from './section.tsx';
import { TimelineSection } from './timeline/timeline-section.tsx';

/** `what` ranks the transfers, or the files of one. */
export function Report({ analytics, what }: { analytics: Analytics; what: ReactNode }) {
  const { totals, days, countries, referers, devices } = analytics;
  return (
    <>
      <Totals totals={totals} />
      <TimelineSection days={days} />
      {countries.length > 0 && <CountriesSection countries={countries} />}
      <div className="mt-rhythm grid gap-x-12 gap-y-rhythm lg:grid-cols-2">
        {what}
        <div className="flex min-w-0 flex-col gap-10">
          {referers.length > 0 && <ReferersSection referers={referers} />}
          {devices.length > 0 && <DevicesSection devices={devices} />}
        </div>
      </div>
    </>
  );
}

function Totals({ totals }: { totals: Analytics['totals'] }) {
  const { views, downloads, completed, completionRate } = totals;
  return (
    <dl className="mt-8 grid grid-cols-2 gap-y-6 border-y border-line py-6 lg:grid-cols-4 lg:divide-x lg:divide-line">
      <Total label={t`Views`}>{formatCount(views)}</Total>
      <Total label={t`Downloads`}>{formatCount(downloads)}</Total>
      <Total label={t`Completed downloads`}>{formatCount(completed)}</Total>
      <Total label={t`Completion rate`}>
        {completionRate === null ? (
          <>
            <span aria-hidden="true">–</span>
            <span className="sr-only">
              <Trans>none, no downloads</Trans>
            </span>
          </>
        ) : (
          formatShare(completionRate)
        )}
      </Total>
    </dl>
  );
}

function Total({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div className="flex min-w-0 flex-col-reverse justify-end gap-1 pr-4 lg:not-first:pl-7">
      <dt className="text-sm text-ink-faint">{label}</dt>
      <dd className="tabular font-heading text-2xl">{children}</dd>
    </div>
  );
}

/** Referers are shown as text, not linked: anyone can forge one. */
function ReferersSection({ referers }: { referers: Analytics['referers'] }) {
  const rows = referers.map(({ referer, views }) => ({
    key: referer,
    label: <span className="truncate">{nameOfReferer(referer)}</span>,
    counts: [views],
    measure: views,
  }));
  return (
    <Section title={t`Referers`}>
      <Ranking columns={[t`Page`, t`Views`]} rows={rows} />
    </Section>
  );
}

function DevicesSection({ devices }: { devices: Analytics['devices'] }) {
  const rows = devices.map(({ device, views, downloads }) => ({
    key: device,
    label: nameOfDevice(device),
    counts: [views, downloads],
    measure: views,
  }));
  return (
    <Section title={t`Devices`}>
      <Ranking columns={[t`Device`, t`Views`, t`Downloads`]} rows={rows} />
    </Section>
  );
}
