import type { ReactNode } from 'react';
import type { Analytics } from '../../../contracts/analytics.ts';
import { CountriesSection } from './countries-section.tsx';
import { DevicesSection, ReferersSection } from './sources-section.tsx';
import { TimelineSection } from './timeline-section.tsx';
import { Totals } from './totals.tsx';

/** The numbers from what matters most to what explains it; `what` ranks the transfers, or the files of one. */
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
