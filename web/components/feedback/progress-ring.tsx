import type { ReactNode } from 'react';
import { classNames } from '../../lib/class-names.ts';

type ProgressRingProps = {
  label: string;
  /** From 0 to 1; null if unknown. */
  value: number | null;
  valueText?: string;
  state?: 'running' | 'done' | 'stopped' | 'failed';
  /** Outer size in CSS pixels. */
  diameter?: number;
  /** Line width in CSS pixels. */
  stroke?: number;
  /** Shown in the middle: a percentage, an icon. */
  children?: ReactNode;
  className?: string;
};

const STROKES = {
  running: 'stroke-accent-ink',
  done: 'stroke-accent-ink',
  stopped: 'stroke-edge',
  failed: 'stroke-danger-ink',
};

export function ProgressRing({
  label,
  value,
  valueText,
  state = 'running',
  diameter = 40,
  stroke = 3,
  children,
  className,
}: ProgressRingProps) {
  const share = value === null ? 0.25 : Math.min(1, Math.max(0, value));
  const circle = { cx: diameter / 2, cy: diameter / 2, r: (diameter - stroke) / 2, strokeWidth: stroke };
  return (
    <div
      role="progressbar"
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={value === null ? undefined : Math.floor(share * 100)}
      aria-valuetext={valueText}
      className={classNames('relative grid shrink-0 place-items-center', className)}
      style={{ width: diameter, height: diameter }}
    >
      <svg
        viewBox={`0 0 ${diameter} ${diameter}`}
        fill="none"
        aria-hidden="true"
        className={classNames('absolute inset-0 -rotate-90', value === null && 'animate-turn')}
      >
        <circle {...circle} className="stroke-press" />
        <circle
          {...circle}
          pathLength={1}
          strokeDasharray="1 1"
          strokeDashoffset={1 - share}
          strokeLinecap={share > 0 ? 'round' : 'butt'}
          className={classNames(
            'transition-[stroke-dashoffset] duration-(--calm) ease-settle',
            STROKES[state],
          )}
        />
      </svg>
      {children}
    </div>
  );
}
