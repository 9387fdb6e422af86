import { useId } from 'react';

export type Metric = 'views' | 'downloads';

const METRICS: { metric: Metric; label: string }[] = [
  { metric: 'views', label: 'Views' },
  { metric: 'downloads', label: 'Downloads' },
];

/** Which of the two counts is drawn. */
export function MetricChoice({ metric, onChange }: { metric: Metric; onChange: (metric: Metric) => void }) {
  const name = useId();
  return (
    <fieldset className="flex rounded-md border border-edge bg-surface p-1">
      <legend className="sr-only">What the map shows</legend>
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
