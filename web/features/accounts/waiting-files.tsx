import { plural, t } from '@lingui/core/macro';
import { Files, X } from 'lucide-react';
import { IconButton } from '../../components/actions/icon-button.tsx';
import type { KeptSummary } from '../../lib/browser/kept-files.ts';

type WaitingFilesProps = {
  kept: KeptSummary;
  /** A sentence that says how to send them. */
  nextStep: string;
  onDiscard: () => void;
};

/** Files that were chosen on the landing page and wait for the account that sends them. */
export function WaitingFiles({ kept: { count, names }, nextStep, onDiscard }: WaitingFilesProps) {
  const others = count - names.length;
  const list = [...names, ...(others > 0 ? [t`${plural(others, { one: '# more', other: '# more' })}`] : [])];
  return (
    <section
      aria-label={t`Files waiting`}
      className="mb-8 flex items-start gap-3.5 rounded-lg border border-line-firm bg-surface py-2.5 pr-2 pl-4"
    >
      <Files aria-hidden="true" strokeWidth={1.75} className="mt-1 size-5 shrink-0 text-accent-ink" />
      <div className="min-w-0 grow">
        <p>
          <span className="font-medium">
            {t`${plural(count, { one: '# file is waiting.', other: '# files are waiting.' })}`}
          </span>{' '}
          <span className="text-ink-soft">{nextStep}</span>
        </p>
        <ul className="mt-0.5 flex flex-wrap gap-x-3 text-sm text-ink-soft">
          {list.map((name, index) => (
            // Files of different folders may have the same name.
            // biome-ignore lint/suspicious/noArrayIndexKey: the list never changes.
            <li key={index} className="max-w-48 truncate">
              <bdi>{name}</bdi>
            </li>
          ))}
        </ul>
      </div>
      <IconButton label={t`Discard these files`} icon={<X />} size="sm" onClick={onDiscard} />
    </section>
  );
}
