import { useMemo } from 'react';
import type { Analytics } from '../../../contracts/analytics.ts';
import { useWidth } from '../../lib/use-width.ts';
import { Section } from './section.tsx';
import { type Bucket, bucketDays, chooseStep, type Step } from './timeline.ts';
import { TimelineChart } from './timeline-chart.tsx';
import { formatCount, formatDays } from './wording.ts';

/** Views and downloads over time, as a chart and as a table. */
export function TimelineSection({ days }: { days: Analytics['days'] }) {
  const [frame, width] = useWidth<HTMLDivElement>();
  const step = chooseStep(days.length, width);
  const buckets = useMemo(() => bucketDays(days, step), [days, step]);
  return (
    <Section title="Over time" aside={<Legend />} className="mt-rhythm">
      <div ref={frame} className="h-62">
        {width > 0 && <TimelineChart key={`${days[0]!.date} ${step}`} {...{ buckets, step, width }} />}
      </div>
      <details className="mt-4 text-sm">
        <summary className="inline-block rounded-full py-1 text-ink-soft hover:text-ink">
          <span className="link">The same as a table</span>
        </summary>
        <BucketsTable buckets={buckets} step={step} />
      </details>
    </Section>
  );
}

function Legend() {
  return (
    <ul className="flex gap-5 text-sm text-ink-soft">
      <li className="flex items-center gap-2">
        <span aria-hidden="true" className="size-3 rounded-[0.1875rem] border border-edge bg-hover" />
        Views
      </li>
      <li className="flex items-center gap-2">
        <span aria-hidden="true" className="h-3 w-1.5 rounded-[0.1875rem] bg-accent" />
        Downloads
      </li>
    </ul>
  );
}

const STEP_NAMES: Record<Step, string> = { day: 'Day', week: 'Week', month: 'Month' };

/** The newest first: whoever reads it asks about yesterday. */
function BucketsTable({ buckets, step }: { buckets: Bucket[]; step: Step }) {
  return (
    <section
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a part that scrolls must be reachable by keyboard
      tabIndex={0}
      aria-label={`Views and downloads by ${step}`}
      className="mt-2 max-h-80 overflow-y-auto"
    >
      <table className="tabular w-full">
        <thead className="sticky top-0 bg-canvas text-ink-faint">
          <tr>
            <th scope="col" className="py-2 text-left font-normal">
              {STEP_NAMES[step]}
            </th>
            <th scope="col" className="w-24 py-2 text-right font-normal">
              Views
            </th>
            <th scope="col" className="w-24 py-2 pr-3 text-right font-normal">
              Downloads
            </th>
          </tr>
        </thead>
        <tbody className="divide-y divide-line border-t border-line">
          {buckets.toReversed().map(({ views, downloads, ...days }) => (
            <tr key={days.from}>
              <th scope="row" className="py-1.5 text-left font-normal">
                {formatDays(days)}
              </th>
              <td className="text-right">{formatCount(views)}</td>
              <td className="pr-3 text-right">{formatCount(downloads)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
