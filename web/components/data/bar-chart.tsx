import { type KeyboardEvent, type PointerEvent, useState } from 'react';
import { useWidth } from '../../lib/hooks/use-width.ts';

export type ChartBar = {
  /** Read by screen readers ("Nov 21, 2026"). */
  name: string;
  /** Below the axis ("Nov 21"). */
  shortName: string;
  value: number;
  /** The formatted value ("1.5 GB"). */
  text: string;
};

type BarChartProps = {
  label: string;
  bars: ChartBar[];
  /** Horizontal lines, from 0 up. */
  ticks: { value: number; label: string }[];
};

const HEIGHT_PX = 168;
const TOP_PX = 8;
const BELOW_PX = 26;
const DIGIT_PX = 7.5;
const LABEL_PX = 64;
const TOOLTIP_PX = 128;
/** Keeps small values visible. */
const LOWEST_BAR_PX = 2;

/** One series of bars, for pointers, touch and, through the slider on top of it, the keyboard. */
export function BarChart({ label, bars, ticks }: BarChartProps) {
  const [frame, width] = useWidth<HTMLDivElement>();
  const [chosen, setChosen] = useState<number | null>(null);
  const left = Math.max(...ticks.map((tick) => tick.label.length)) * DIGIT_PX + 8;
  const slot = (width - left) / bars.length;
  const follow = ({ clientX, currentTarget }: PointerEvent) => {
    const x = clientX - currentTarget.getBoundingClientRect().left;
    setChosen(Math.min(bars.length - 1, Math.max(0, Math.floor((x - left) / slot))));
  };
  // A finger hides what it points at, so the choice stays when it is lifted.
  const leave = ({ pointerType }: PointerEvent) => pointerType === 'mouse' && setChosen(null);
  const active = chosen === null ? undefined : bars[chosen];
  return (
    <div
      ref={frame}
      className="relative h-42 touch-pan-y rounded-xs select-none has-focus-visible:outline-2 has-focus-visible:outline-offset-4 has-focus-visible:outline-accent-ink"
      onPointerDown={follow}
      onPointerMove={follow}
      onPointerLeave={leave}
    >
      {width > 0 && <Drawing {...{ bars, ticks, width, left, slot }} activeIndex={chosen} />}
      <BarSlider {...{ label, bars }} chosen={chosen} onChange={setChosen} />
      {active && (
        <div
          aria-hidden="true"
          className="tabular pointer-events-none absolute top-1 w-32 rounded-sm forced-colors:border bg-ink px-3 py-2 text-xs text-canvas shadow-mid"
          style={{ left: placeTooltip(left + (chosen! + 0.5) * slot, slot, width) }}
        >
          <p>{active.name}</p>
          <p className="font-medium">{active.text}</p>
        </div>
      )}
    </div>
  );
}

function placeTooltip(center: number, slot: number, width: number): number {
  const besides = center + slot / 2 + 6;
  return besides + TOOLTIP_PX <= width ? besides : Math.max(0, center - slot / 2 - 6 - TOOLTIP_PX);
}

type SliderProps = {
  label: string;
  bars: ChartBar[];
  chosen: number | null;
  onChange: (index: number | null) => void;
};

/** Invisible. Arrow keys move between bars, and screen readers read each. */
function BarSlider({ label, bars, chosen, onChange }: SliderProps) {
  const index = chosen ?? bars.length - 1;
  const dismiss = ({ key }: KeyboardEvent) => key === 'Escape' && onChange(null);
  return (
    <input
      type="range"
      aria-label={label}
      aria-valuetext={bars[index] && `${bars[index].name}: ${bars[index].text}`}
      min={0}
      max={bars.length - 1}
      value={index}
      onChange={({ target }) => onChange(target.valueAsNumber)}
      onFocus={() => onChange(index)}
      onBlur={() => onChange(null)}
      onKeyDown={dismiss}
      className="pointer-events-none absolute inset-0 size-full opacity-0"
    />
  );
}

type DrawingProps = Pick<BarChartProps, 'bars' | 'ticks'> & {
  width: number;
  left: number;
  slot: number;
  activeIndex: number | null;
};

function Drawing({ bars, ticks, width, left, slot, activeIndex }: DrawingProps) {
  const bottom = HEIGHT_PX - BELOW_PX;
  const highest = ticks.at(-1)!.value || 1;
  const lengthOf = (value: number) => (value / highest) * (bottom - TOP_PX);
  const wide = Math.max(3, slot * 0.66);
  const every = Math.max(1, Math.ceil(LABEL_PX / slot));
  return (
    <svg aria-hidden="true" width={width} height={HEIGHT_PX} className="tabular block text-xs">
      {ticks.map(({ value, label }, index) => (
        <g key={value}>
          <line
            x1={left}
            x2={width}
            y1={bottom - lengthOf(value)}
            y2={bottom - lengthOf(value)}
            className={index === 0 ? 'stroke-line-firm' : 'stroke-line'}
          />
          <text
            x={left - 8}
            y={bottom - lengthOf(value)}
            dy="0.35em"
            textAnchor="end"
            className="fill-ink-faint"
          >
            {label}
          </text>
        </g>
      ))}
      {bars.map(({ name, shortName, value }, index) => {
        const length = value === 0 ? 0 : Math.max(LOWEST_BAR_PX, lengthOf(value));
        const center = left + (index + 0.5) * slot;
        const isLabelled = (bars.length - 1 - index) % every === 0;
        return (
          <g key={name}>
            {index === activeIndex && (
              <rect x={center - slot / 2} width={slot} height={bottom} rx={3} className="fill-press" />
            )}
            <path d={drawBar(center, wide, length, bottom)} className="fill-accent" />
            {isLabelled && (
              <text
                x={Math.min(width - 23, Math.max(23, center))}
                y={HEIGHT_PX - 6}
                textAnchor="middle"
                className="fill-ink-faint"
              >
                {shortName}
              </text>
            )}
          </g>
        );
      })}
    </svg>
  );
}

/** Rounded at the top; empty for length 0. */
function drawBar(center: number, width: number, length: number, bottom: number): string {
  if (length === 0) return '';
  const round = Math.min(2.5, width / 2, length);
  return (
    `M${center - width / 2} ${bottom}v${round - length}a${round} ${round} 0 0 1 ${round} ${-round}` +
    `h${width - 2 * round}a${round} ${round} 0 0 1 ${round} ${round}v${length - round}z`
  );
}
