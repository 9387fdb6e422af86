import { type KeyboardEvent, type PointerEvent, useState } from 'react';
import type { Bucket, Step } from './timeline.ts';
import { TimelineDrawing } from './timeline-drawing.tsx';
import { indexAt, layOutTimeline, type TimelineLayout } from './timeline-layout.ts';
import { countOf, formatDays } from './wording.ts';

type TimelineChartProps = { buckets: Bucket[]; step: Step; width: number };

const HEIGHT_PX = 248;
const TOOLTIP_PX = 168;

/** Follows the pointer, a finger drawn across it, and, through the slider that lies over it, the keyboard. */
export function TimelineChart({ buckets, step, width }: TimelineChartProps) {
  const [chosenIndex, setChosenIndex] = useState<number | null>(null);
  const layout = layOutTimeline(buckets, step, { width, height: HEIGHT_PX });
  const activeIndex = chosenIndex !== null && chosenIndex < buckets.length ? chosenIndex : null;
  const follow = ({ clientX, currentTarget }: PointerEvent) =>
    setChosenIndex(indexAt(clientX - currentTarget.getBoundingClientRect().left, layout));
  // A finger hides what it points at; what it chose stays when it is lifted.
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

/** Invisible, for keyboards and screen readers: arrow keys go from bar to bar, and each is read out. */
function BucketSlider({ buckets, step, activeIndex, onChange }: BucketSliderProps) {
  const index = activeIndex ?? buckets.length - 1;
  const { views, downloads, ...days } = buckets[index]!;
  const dismiss = ({ key }: KeyboardEvent) => key === 'Escape' && onChange(null);
  return (
    <input
      type="range"
      aria-label={`Views and downloads by ${step}`}
      aria-valuetext={`${formatDays(days)}: ${countOf(views, 'view')}, ${countOf(downloads, 'download')}`}
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
      <p className="font-medium">{formatDays(days)}</p>
      <p>{countOf(views, 'view')}</p>
      <p>{countOf(downloads, 'download')}</p>
    </div>
  );
}
