import { plural, t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Suspense, useId, useMemo, useState } from 'react';
import type { Analytics } from '../../../../contracts/analytics.ts';
import { Skeleton } from '../../../components/feedback/skeleton.tsx';
import { lazy } from '../../../lib/loading/lazy.ts';
import { nameOfCountry } from '../../../lib/values/country-names.ts';
import { Ranking } from '../ranking.tsx';
import { Section } from '../section.tsx';
import { listLevels } from './country-levels.ts';

/** The outlines are large, so load them only when there is something to show. */
const WorldMap = lazy(() => import('./world-map.tsx').then((module) => ({ default: module.WorldMap })));

type Countries = Analytics['countries'];

/** A map and a table; pointing at either highlights the other. */
export function CountriesSection({ countries }: { countries: Countries }) {
  const [metric, setMetric] = useState<Metric>('views');
  const [activeCode, setActiveCode] = useState<string | null>(null);
  return (
    <Section
      title={t`Countries`}
      aside={<MetricChoice metric={metric} onChange={setMetric} />}
      className="mt-rhythm"
    >
      <div className="grid items-start gap-x-10 gap-y-8 xl:grid-cols-[minmax(0,1fr)_20rem]">
        <div>
          <CountryMap {...{ countries, metric, activeCode }} onPoint={setActiveCode} />
          <Credit />
        </div>
        <CountryTable {...{ countries, metric, activeCode }} onPoint={setActiveCode} />
      </div>
    </Section>
  );
}

type PartProps = {
  countries: Countries;
  metric: Metric;
  activeCode: string | null;
  onPoint: (code: string | null) => void;
};

function CountryMap({ countries, metric, activeCode, onPoint }: PartProps) {
  const counts = useMemo(
    () => new Map(countries.map((each) => [each.country, each[metric]])),
    [countries, metric],
  );
  // Unknown countries are not on the map and must not affect its shades.
  const levels = useMemo(
    () => listLevels(Math.max(0, ...[...counts].map(([code, count]) => (code === 'ZZ' ? 0 : count)))),
    [counts],
  );
  const describe = (code: string) => {
    const { views, downloads } = countries.find(({ country }) => country === code) ?? {
      views: 0,
      downloads: 0,
    };
    return `${plural(views, { one: '# view', other: '# views' })}, ${plural(downloads, { one: '# download', other: '# downloads' })}`;
  };
  return (
    <Suspense fallback={<Skeleton className="mb-8 aspect-[1600/694] w-full" />}>
      <WorldMap {...{ counts, levels, activeCode, onPoint, describe }} />
    </Suspense>
  );
}

function CountryTable({ countries, metric, activeCode, onPoint }: PartProps) {
  const rows = countries
    .toSorted((one, other) => other[metric] - one[metric])
    .map(({ country, views, downloads }) => ({
      key: country,
      label: <CountryName code={country} onPoint={onPoint} />,
      counts: [views, downloads],
      measure: metric === 'views' ? views : downloads,
    }));
  return <Ranking columns={[t`Country`, t`Views`, t`Downloads`]} rows={rows} activeKey={activeCode} />;
}

/** A button, so that keyboard and touch can highlight the map too. */
function CountryName({ code, onPoint }: { code: string; onPoint: (code: string | null) => void }) {
  const name = nameOfCountry(code);
  if (code === 'ZZ') return <span className="text-ink-soft">{name}</span>;
  return (
    <button
      type="button"
      title={t`Show on the map`}
      className="min-h-7 w-full rounded-xs text-left wrap-anywhere"
      onPointerEnter={() => onPoint(code)}
      onPointerLeave={({ pointerType }) => pointerType === 'mouse' && onPoint(null)}
      onFocus={() => onPoint(code)}
      onBlur={() => onPoint(null)}
      onClick={() => onPoint(code)}
    >
      {name}
    </button>
  );
}

/** Required by the license of the geolocation data (CC BY 4.0). */
function Credit() {
  return (
    <p className="mt-3 text-xs text-ink-faint">
      <a
        href="https://db-ip.com"
        target="_blank"
        rel="noopener"
        className="link inline-block py-1 text-ink-faint"
      >
        <Trans>IP Geolocation by DB-IP</Trans>
      </a>
    </p>
  );
}

type Metric = 'views' | 'downloads';

const METRICS: { metric: Metric; label: string }[] = [
  { metric: 'views', label: t`Views` },
  { metric: 'downloads', label: t`Downloads` },
];

function MetricChoice({ metric, onChange }: { metric: Metric; onChange: (metric: Metric) => void }) {
  const name = useId();
  return (
    <fieldset className="flex rounded-md border border-edge bg-surface p-1">
      <legend className="sr-only">
        <Trans>What the map shows</Trans>
      </legend>
      {METRICS.map(({ metric: each, label }) => (
        <label
          key={each}
          className="flex h-7 items-center rounded-sm px-3 text-sm font-medium text-ink-soft transition-colors duration-(--quick) hover:bg-hover hover:text-ink has-checked:bg-accent-wash has-checked:text-accent-ink has-focus-visible:outline-2 has-focus-visible:outline-offset-2 has-focus-visible:outline-accent-ink"
        >
          <input
            type="radio"
            name={name}
            checked={each === metric}
            onChange={() => onChange(each)}
            className="sr-only"
          />
          {label}
        </label>
      ))}
    </fieldset>
  );
}
