import { memo, type PointerEvent } from 'react';
import { formatCount } from '../../../../contracts/values/format.ts';
import { classNames } from '../../../lib/class-names.ts';
import { nameOfCountry } from '../../../lib/values/country-names.ts';
import { type Level, shadeOf } from './country-levels.ts';
import { type Land, WORLD } from './world.ts';
import { WORLD_HEIGHT, WORLD_WIDTH } from './world-geometry.ts';

type WorldMapProps = {
  counts: ReadonlyMap<string, number>;
  levels: Level[];
  activeCode: string | null;
  onPoint: (code: string | null) => void;
  describe: (code: string) => string;
};

/** By shade, 0 for no counts: one hue from faint to strong, readable with color blindness. */
const COLOURS = [
  'text-[color-mix(in_oklab,var(--ink)_11%,var(--canvas))]',
  'text-[color-mix(in_oklab,var(--accent)_30%,var(--canvas))]',
  'text-[color-mix(in_oklab,var(--accent)_46%,var(--canvas))]',
  'text-[color-mix(in_oklab,var(--accent)_63%,var(--canvas))]',
  'text-[color-mix(in_oklab,var(--accent)_81%,var(--canvas))]',
  'text-accent',
];

/** Hidden from assistive technology: the table beside it has the same data. */
export function WorldMap({ counts, levels, activeCode, onPoint, describe }: WorldMapProps) {
  const point = ({ target }: PointerEvent) => onPoint((target as SVGElement).dataset.country ?? null);
  // Keep the choice when a finger is lifted.
  const leave = ({ pointerType }: PointerEvent) => pointerType === 'mouse' && onPoint(null);
  const active = activeCode === null ? undefined : WORLD.get(activeCode);
  return (
    <>
      <div
        className="relative"
        data-testid="world-map"
        onPointerDown={point}
        onPointerMove={point}
        onPointerLeave={leave}
      >
        <svg aria-hidden="true" viewBox={`0 0 ${WORLD_WIDTH} ${WORLD_HEIGHT}`} className="block w-full">
          <Lands counts={counts} levels={levels} />
          {active && <Emphasis land={active} />}
        </svg>
        {active && <LandTooltip land={active} text={describe(active.code)} />}
      </div>
      <Legend levels={levels} />
    </>
  );
}

/** Memoized: must not re-render while the pointer moves. */
const Lands = memo(function Lands({ counts, levels }: Pick<WorldMapProps, 'counts' | 'levels'>) {
  return [...WORLD.values()].map((land) => {
    const shade = shadeOf(counts.get(land.code) ?? 0, levels);
    const Mark = land.outline ? Outline : Spot;
    return <Mark key={land.code} land={land} shade={shade} />;
  });
});

type MarkProps = { land: Land; shade: number };

function Outline({ land: { code, outline }, shade }: MarkProps) {
  return (
    <path
      data-country={code}
      d={outline}
      vectorEffect="non-scaling-stroke"
      className={classNames('fill-current stroke-canvas [stroke-width:0.6]', COLOURS[shade])}
    />
  );
}

/** A dot of constant size, larger where something was counted. */
function Spot({ land, shade }: MarkProps) {
  if (shade === 0)
    return <path {...dotAt(land)} className={`stroke-current [stroke-width:2] ${COLOURS[0]}`} />;
  return (
    <g className={COLOURS[shade]}>
      <path {...dotAt(land)} className="stroke-canvas [stroke-width:9]" />
      <path {...dotAt(land)} className="stroke-current [stroke-width:7]" />
    </g>
  );
}

function dotAt({ code, x, y }: Land) {
  return {
    'data-country': code,
    d: `M${x} ${y}h0`,
    vectorEffect: 'non-scaling-stroke',
    strokeLinecap: 'round',
  } as const;
}

function Emphasis({ land }: { land: Land }) {
  const outlineClasses = 'pointer-events-none fill-none stroke-ink [stroke-width:1.5]';
  return land.outline ? (
    <path
      d={land.outline}
      vectorEffect="non-scaling-stroke"
      strokeLinejoin="round"
      className={outlineClasses}
    />
  ) : (
    <path {...dotAt(land)} className="pointer-events-none stroke-ink [stroke-width:9]" />
  );
}

/** Above the country, or below it near the upper edge; shifted to stay inside the map. */
function LandTooltip({ land: { code, x, y }, text }: { land: Land; text: string }) {
  const [left, top] = [(x / WORLD_WIDTH) * 100, (y / WORLD_HEIGHT) * 100];
  const below = top < 30;
  return (
    <div
      aria-hidden="true"
      data-testid="land"
      className="tabular pointer-events-none absolute w-max rounded-sm bg-ink px-3 py-2 text-xs text-canvas shadow-mid"
      style={{
        left: `${left}%`,
        top: `${top}%`,
        translate: `${-left}% ${below ? '0.875rem' : 'calc(-100% - 0.875rem)'}`,
      }}
    >
      <p className="font-medium">{nameOfCountry(code)}</p>
      <p>{text}</p>
    </div>
  );
}

function Legend({ levels }: { levels: Level[] }) {
  return (
    <ul aria-hidden="true" className="tabular mt-4 flex flex-wrap gap-x-5 gap-y-1 text-xs text-ink-faint">
      {[{ from: 0, to: 0, shade: 0 }, ...levels].map(({ from, to, shade }) => (
        <li key={from} className="flex items-center gap-1.5">
          <span className={classNames('size-3 rounded-[0.1875rem] bg-current', COLOURS[shade])} />
          {from === to ? formatCount(from) : `${formatCount(from)} – ${formatCount(to)}`}
        </li>
      ))}
    </ul>
  );
}
