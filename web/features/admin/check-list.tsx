import { CircleCheck, CircleX, TriangleAlert } from 'lucide-react';
import type { SystemCheck } from '../../../contracts/admin/system.ts';

const STATES = {
  ok: { Icon: CircleCheck, word: 'All right', className: 'text-accent-ink' },
  warning: { Icon: TriangleAlert, word: 'Warning', className: 'text-ink' },
  failed: { Icon: CircleX, word: 'Failed', className: 'text-danger-ink' },
};

/** What was looked at, what was found, and what to do where something is wrong. */
export function CheckList({ label, checks }: { label: string; checks: SystemCheck[] }) {
  return (
    <ul aria-label={label} className="divide-y divide-line rounded-lg border border-line bg-surface">
      {checks.map(({ name, title, state, found, fix }) => {
        const { Icon, word, className } = STATES[state];
        return (
          <li key={name} data-state={state} className="flex gap-3.5 p-4 sm:px-5">
            <Icon aria-hidden="true" className={`mt-0.5 size-5 shrink-0 ${className}`} />
            <div className="min-w-0 grow">
              <p className="font-medium">
                {title} <span className="sr-only">: {word}</span>
              </p>
              <p className="text-sm wrap-anywhere text-ink-soft">{found}</p>
              {fix && (
                <p className="mt-2.5 rounded-sm border border-line-firm bg-canvas px-3.5 py-2.5 text-sm wrap-anywhere whitespace-pre-line">
                  <span className="font-medium">What to do: </span>
                  {fix}
                </p>
              )}
            </div>
          </li>
        );
      })}
    </ul>
  );
}
