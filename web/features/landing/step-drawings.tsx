import type { ReactNode } from 'react';
import { Ripples } from '../../components/layout/ripples.tsx';

/** The drop of our mark, its tip at the origin, 66 units tall. */
const DROP = 'M0 0c12.4 18.4 20 33.2 20 46a20 20 0 0 1-40 0c0-12.8 7.6-27.6 20-46Z';
const WATER = { x: 180, y: 168 };
const RECIPIENTS = [
  [64, 123],
  [180, 230],
  [313, 131],
];

export function FallingDrop() {
  return (
    <Well reaches={[34, 78]}>
      <path d={`M${WATER.x} 92V${WATER.y - 18}`} strokeDasharray="1 9" className="stroke-edge" />
      <path d={DROP} transform={`translate(${WATER.x} 14)`} className="fill-accent-ink" />
    </Well>
  );
}

export function TouchingDrop() {
  return (
    <Well reaches={[78, 122]}>
      <ellipse cx={WATER.x} cy={WATER.y} rx="40" ry="15" strokeWidth="2.5" className="stroke-accent-ink" />
      <path d={DROP} transform={`translate(${WATER.x} ${WATER.y - 62})`} className="fill-accent-ink" />
    </Well>
  );
}

/** The last rings extend under the other steps. */
export function SpreadingRings() {
  return (
    <>
      <Ripples
        view="slanted"
        count={12}
        className="absolute top-[70%] left-1/2 -z-10 w-[108rem] -translate-x-1/2 -translate-y-1/2"
      />
      <Well reaches={[]}>
        <ellipse cx={WATER.x} cy={WATER.y} rx="78" ry="29" strokeWidth="2.5" className="stroke-accent-ink" />
        <ellipse cx={WATER.x} cy={WATER.y} rx="166" ry="62" strokeWidth="2.5" className="stroke-accent-ink" />
        {RECIPIENTS.map(([x, y]) => (
          <circle key={x} cx={x} cy={y} r="8" className="fill-accent-ink" />
        ))}
      </Well>
    </>
  );
}

function Well({ reaches, children }: { reaches: number[]; children: ReactNode }) {
  return (
    <svg
      aria-hidden="true"
      viewBox="0 0 360 240"
      fill="none"
      strokeWidth="1.5"
      strokeLinecap="round"
      className="w-full"
    >
      {reaches.map((reach) => (
        <ellipse
          key={reach}
          cx={WATER.x}
          cy={WATER.y}
          rx={reach}
          ry={reach * 0.374}
          className="stroke-line-firm"
        />
      ))}
      {children}
    </svg>
  );
}
