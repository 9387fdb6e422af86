import { classNames } from '../../lib/class-names.ts';

type ProgressBarProps = {
  /** The accessible name ("Uploading film.mov"). */
  label: string;
  /** From 0 to 1; null if unknown. */
  value: number | null;
  /** Announced instead of the percentage ("3.1 GB of 5 GB"). */
  valueText?: string;
  /** `done` is accented, `stopped` (paused, waiting) gray, `failed` red. */
  state?: 'running' | 'done' | 'stopped' | 'failed';
  size?: 'sm' | 'md';
  className?: string;
};

const FILLS = { running: 'bg-accent', done: 'bg-accent', stopped: 'bg-edge', failed: 'bg-danger-ink' };

/** The fill moves smoothly between updates. */
export function ProgressBar({
  label,
  value,
  valueText,
  state = 'running',
  size = 'md',
  className,
}: ProgressBarProps) {
  const share = value === null ? 0 : Math.min(1, Math.max(0, value));
  return (
    <div
      role="progressbar"
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={value === null ? undefined : Math.floor(share * 100)}
      aria-valuetext={valueText}
      className={classNames(
        'relative w-full overflow-hidden rounded-full bg-press forced-colors:border',
        size === 'sm' ? 'h-1' : 'h-2',
        className,
      )}
    >
      {value === null ? (
        <div className={classNames('h-full w-1/3 animate-glide rounded-full', FILLS[state])} />
      ) : (
        <div
          className={classNames(
            'h-full w-full origin-left rounded-full transition-transform duration-(--calm) ease-settle forced-colors:bg-[Highlight]',
            FILLS[state],
          )}
          style={{ transform: `translateX(${(share - 1) * 100}%)` }}
        />
      )}
    </div>
  );
}
