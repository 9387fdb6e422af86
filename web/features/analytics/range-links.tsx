import { Lock } from 'lucide-react';
import { Link } from 'react-router';
import { tierLabel } from '../../../contracts/plans/tiers.ts';
import { classNames } from '../../lib/class-names.ts';
import { listRangeChoices, type RangeChoice, writeDays } from './ranges.ts';
import type { ChosenRange } from './use-range.ts';

const SEGMENT =
  'flex h-8.5 items-center justify-center gap-1.5 rounded-sm px-2.5 text-sm font-medium whitespace-nowrap sm:px-3 ' +
  'transition-colors duration-(--quick)';

/** Links, because each leads to numbers that have an address of their own. */
export function RangeLinks({ days, longestDays }: ChosenRange) {
  const choices = listRangeChoices(longestDays);
  return (
    <nav
      aria-label="Range"
      className="flex rounded-md border border-edge bg-surface p-1 max-sm:w-full max-sm:justify-between"
    >
      {choices.map((choice) =>
        choice.tier ? (
          <LockedRange key={choice.days} {...choice} />
        ) : (
          <Link
            key={choice.days}
            to={{ search: writeDays(choice.days) }}
            aria-current={choice.days === days || undefined}
            aria-label={choice.label}
            className={classNames(
              SEGMENT,
              choice.days === days
                ? 'bg-accent-wash text-accent-ink'
                : 'text-ink-soft hover:bg-hover hover:text-ink',
            )}
          >
            <Label {...choice} />
          </Link>
        ),
      )}
    </nav>
  );
}

function LockedRange({ tier, ...range }: RangeChoice) {
  const needed = `${range.label}: part of the ${tierLabel(tier!)} plan`;
  return (
    <Link
      to="/pricing"
      aria-label={needed}
      title={needed}
      className={classNames(SEGMENT, 'text-ink-faint hover:bg-hover hover:text-ink')}
    >
      <Lock aria-hidden="true" className="size-3.5 max-sm:hidden" />
      <Label {...range} />
    </Link>
  );
}

function Label({ label, shortLabel }: Pick<RangeChoice, 'label' | 'shortLabel'>) {
  return (
    <>
      <span className="max-sm:hidden">{label}</span>
      <span className="sm:hidden">{shortLabel}</span>
    </>
  );
}
