import { plural, t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { type KeyboardEvent, type PointerEvent, useMemo, useState } from 'react';
import type { Analytics } from '../../../../contracts/analytics.ts';
import { formatCount } from '../../../../contracts/values/format.ts';
import { useWidth } from '../../../lib/hooks/use-width.ts';
import { formatUtcDays } from '../../../lib/time/format-dates.ts';
import { Section } from '../section.tsx';
import {
  type Bucket,
  bucketDays,
  chooseStep,
  indexAt,
  layOutTimeline,
  type Step,
  type TimelineLayout,
} from './timeline.ts';
import { TimelineDrawing } from './timeline-drawing.tsx';

export function TimelineSection({ days }: { days: Analytics['days'] }) {
  const [frame, width] = useWidth<HTMLDivElement>();
  const step = chooseStep(days.length, width);
  const buckets = useMemo(() => bucketDays(days, step), [days, step]);
  return (
    <Section title={t`Over time`} aside={<Legend />} className="mt-rhythm">
      <div ref={frame} className="h-62">
        {width > 0 && <TimelineChart key={`${days[0]!.date} ${step}`} {...{ buckets, step, width }} />}
      </div>
      <details className="mt-4 text-sm">
        <summary className="inline-block rounded-full py-1 text-ink-soft hover:text-ink">
          <span className="link">
            <Trans>Show as a table</Trans>
          </span>
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
        <Trans>Views</Trans>
      </li>
      <li className="flex items-center gap-2">
        <span
          aria-hidden="true"
          className="h-3 w-1.5 rounded-[0.1875rem] bg-accent forced-colors:bg-[Highlight]"
        />
        <Trans>Downloads</Trans>
      </li>
    </ul>
  );
}

const STEP_NAMES: Record<Step, string> = { day: t`Day`, week: t`Week`, month: t`Month` };

/** Newest first. */
function BucketsTable({ buckets, step }: { buckets: Bucket[]; step: Step }) {
  return (
    <section
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a part that scrolls must be reachable by keyboard
      tabIndex={0}
      aria-label={t`Views and downloads by ${step}`}
      className="mt-2 max-h-80 overflow-y-auto"
    >
      <table className="tabular w-full">
        <thead className="sticky top-0 bg-canvas text-ink-faint">
          <tr>
            <th scope="col" className="py-2 text-left font-normal">
              {STEP_NAMES[step]}
            </th>
            <th scope="col" className="w-24 py-2 text-right font-normal">
              <Trans>Views</Trans>
            </th>
            <th scope="col" className="w-24 py-2 pr-3 text-right font-normal">
              <Trans>Downloads</Trans>
            </th>
          </tr>
        </thead>
        <tbody className="divide-y divide-line border-t border-line">
          {buckets.toReversed().map(({ views, downloads, ...days }) => (
            <tr key={days.from}>
              <th scope="row" className="py-1.5 text-left font-normal">
                {formatUtcDays(days)}
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

type TimelineChartProps = { buckets: Bucket[]; step: Step; width: number };

const HEIGHT_PX = 248;
const TOOLTIP_PX = 168;

/** Highlights a bucket by pointer, touch or, through an invisible slider, keyboard. */
function TimelineChart({ buckets, step, width }: TimelineChartProps) {
  const [chosenIndex, setChosenIndex] = useState<number | null>(null);
  const layout = layOutTimeline(buckets, step, { width, height: HEIGHT_PX });
  const activeIndex = chosenIndex !== null && chosenIndex < buckets.length ? chosenIndex : null;
  const follow = ({ clientX, currentTarget }: PointerEvent) =>
    setChosenIndex(indexAt(clientX - currentTarget.getBoundingClientRect().left, layout));
  // A finger covers the bar, so keep the choice when it is lifted.
  const leave = ({ pointerType }: PointerEvent) => pointerType === 'mouse' && setChosenIndex(null);
  const active = activeIndex === null ? undefined : buckets[activeIndex];
  return (
    <div
      className="relative touch-pan-y rounded-xs select-none has-focus-visible:outline-2 has-focus-visible:outline-offset-4 has-focus-visible:outline-accent-ink"
      onPointerDown={follow}
      onPointerMove={follow}
      onPointerLeave={leave}
    >
      <TimelineDrawing layout={layout} activeIndex={activeIndex} />
      <BucketSlider {...{ buckets, step, activeIndex }} onChange={setChosenIndex} />
      {active && <BucketTooltip bucket={active} left={placeTooltip(activeIndex!, layout)} />}
    </div>
  );
}

function placeTooltip(index: number, { bars, slot, width }: TimelineLayout): number {
  const { center } = bars[index]!;
  const besides = center + slot / 2 + 8;
  return besides + TOOLTIP_PX <= width ? besides : Math.max(0, center - slot / 2 - 8 - TOOLTIP_PX);
}

type BucketSliderProps = {
  buckets: Bucket[];
  step: Step;
  activeIndex: number | null;
  onChange: (index: number | null) => void;
};

/** Invisible slider for keyboards and screen readers: arrow keys move from bar to bar. */
function BucketSlider({ buckets, step, activeIndex, onChange }: BucketSliderProps) {
  const index = activeIndex ?? buckets.length - 1;
  const { views, downloads, ...days } = buckets[index]!;
  const dismiss = ({ key }: KeyboardEvent) => key === 'Escape' && onChange(null);
  return (
    <input
      type="range"
      aria-label={t`Views and downloads by ${step}`}
      aria-valuetext={`${formatUtcDays(days)}: ${plural(views, { one: '# view', other: '# views' })}, ${plural(downloads, { one: '# download', other: '# downloads' })}`}
      min={0}
      max={buckets.length - 1}
      value={index}
      onChange={({ target }) => onChange(target.valueAsNumber)}
      onFocus={() => onChange(index)}
      onBlur={() => onChange(null)}
      onKeyDown={dismiss}
      className="pointer-events-none absolute inset-0 size-full opacity-0"
    />
  );
}

function BucketTooltip({ bucket: { views, downloads, ...days }, left }: { bucket: Bucket; left: number }) {
  return (
    <div
      aria-hidden="true"
      data-testid="bucket"
      className="tabular pointer-events-none absolute top-2 w-42 rounded-sm bg-ink px-3 py-2 text-xs text-canvas shadow-mid"
      style={{ left }}
    >
      <p className="font-medium">{formatUtcDays(days)}</p>
      <p>{plural(views, { one: '# view', other: '# views' })}</p>
      <p>{plural(downloads, { one: '# download', other: '# downloads' })}</p>
    </div>
  );
}
