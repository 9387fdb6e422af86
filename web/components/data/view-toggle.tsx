import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { LayoutGrid, List } from 'lucide-react';
import type { ReactNode } from 'react';

export type FilesView = 'list' | 'gallery';

type ViewToggleProps = { view: FilesView; onChange: (view: FilesView) => void };

const CHOICES: { view: FilesView; label: string; icon: ReactNode }[] = [
  { view: 'list', label: t`List`, icon: <List aria-hidden="true" /> },
  { view: 'gallery', label: t`Gallery`, icon: <LayoutGrid aria-hidden="true" /> },
];

/** Switches between list and gallery. */
export function ViewToggle({ view, onChange }: ViewToggleProps) {
  return (
    <fieldset className="flex h-control-md shrink-0 rounded-md border border-edge bg-surface p-1">
      <legend className="sr-only">
        <Trans>View</Trans>
      </legend>
      {CHOICES.map((choice) => (
        <button
          key={choice.view}
          type="button"
          aria-label={choice.label}
          aria-pressed={choice.view === view}
          title={choice.label}
          onClick={() => onChange(choice.view)}
          className="grid w-10 place-items-center rounded-sm text-ink-soft transition-colors duration-(--quick) hover:bg-hover hover:text-ink aria-pressed:bg-accent-wash aria-pressed:text-accent-ink [&_svg]:size-4.5"
        >
          {choice.icon}
        </button>
      ))}
    </fieldset>
  );
}
