import type { TimelineLayout } from './timeline.ts';

type TimelineDrawingProps = { layout: TimelineLayout; activeIndex?: number | null };

const WIDEST_PX = 30;

/** Views are hollow bars with solid download bars inside, so that color is not the only difference. */
export function TimelineDrawing({ layout, activeIndex = null }: TimelineDrawingProps) {
  const { width, height, left, bottom, slot, ticks, labels, bars } = layout;
  const wide = Math.min(WIDEST_PX, Math.max(5, slot * 0.72));
  const slim = Math.max(2, wide * 0.4);
  const active = activeIndex === null ? undefined : bars[activeIndex];
  return (
    <svg aria-hidden="true" width={width} height={height} className="tabular block overflow-visible text-xs">
      {active && (
        <>
          <rect
            x={active.center - slot / 2}
            y={0}
            width={slot}
            height={bottom}
            rx={Math.min(4, slot / 4)}
            className="fill-press"
          />
          <line x1={active.center} x2={active.center} y1={0} y2={bottom} className="stroke-line-firm" />
        </>
      )}
      {ticks.map(({ y, label }, index) => (
        <g key={label}>
          <line
            x1={left}
            x2={width}
            y1={y}
            y2={y}
            className={index === 0 ? 'stroke-line-firm' : 'stroke-line'}
          />
          <text x={left - 10} y={y} dy="0.35em" textAnchor="end" className="fill-ink-faint">
            {label}
          </text>
        </g>
      ))}
      {bars.map(({ center, viewsHeight, downloadsHeight }) => (
        <g key={center}>
          {viewsHeight > 0 && (
            <path d={bar(center, wide - 1, viewsHeight, bottom)} className="fill-hover stroke-edge" />
          )}
          {downloadsHeight > 0 && (
            <path d={bar(center, slim, downloadsHeight, bottom)} className="fill-accent" />
          )}
        </g>
      ))}
      {labels.map(({ x, text }) => (
        <text key={x} x={x} y={height - 6} textAnchor="middle" className="fill-ink-faint">
          {text}
        </text>
      ))}
    </svg>
  );
}

function bar(center: number, width: number, height: number, bottom: number): string {
  const round = Math.min(3, width / 2, height);
  const [left, top] = [center - width / 2, bottom - height];
  return (
    `M${left} ${bottom}V${top + round}a${round} ${round} 0 0 1 ${round} ${-round}` +
    `h${width - 2 * round}a${round} ${round} 0 0 1 ${round} ${round}V${bottom}`
  );
}
