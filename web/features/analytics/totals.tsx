import type { ReactNode } from 'react';
import type { Analytics } from '../../../contracts/analytics.ts';
import { formatCount, formatShare } from './wording.ts';

/** The four numbers of the range, side by side. */
export function Totals({ totals }: { totals: Analytics['totals'] }) {
  const { views, downloads, completed, completionRate } = totals;
  return (
    <dl className="mt-8 grid grid-cols-2 gap-y-6 border-y border-line py-6 lg:grid-cols-4 lg:divide-x lg:divide-line">
      <Total label="Views">{formatCount(views)}</Total>
      <Total label="Downloads">{formatCount(downloads)}</Total>
      <Total label="Completed downloads">{formatCount(completed)}</Total>
      <Total label="Completion rate">
        {completionRate === null ? (
          <>
            <span aria-hidden="true">–</span>
            <span className="sr-only">none, nothing was downloaded</span>
          </>
        ) : (
          formatShare(completionRate)
        )}
      </Total>
    </dl>
  );
}

function Total({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div className="flex min-w-0 flex-col-reverse justify-end gap-1 pr-4 lg:not-first:pl-7">
      <dt className="text-sm text-ink-faint">{label}</dt>
      <dd className="tabular font-heading text-2xl">{children}</dd>
    </div>
  );
}
