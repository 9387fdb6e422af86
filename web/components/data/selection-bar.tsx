import { t } from '@lingui/core/macro';
import { X } from 'lucide-react';
import { type ReactNode, useRef } from 'react';
import { formatCount } from '../../../contracts/values/format.ts';
import { useKeepFocusAbove } from '../../lib/hooks/use-keep-focus-above.ts';
import { IconButton } from '../actions/icon-button.tsx';
import { VisuallyHidden } from '../layout/visually-hidden.tsx';

type SelectionBarProps = {
  /** The accessible name. */
  label: string;
  count: number;
  /** Below the number. */
  note: ReactNode;
  onClear: () => void;
  /** The buttons. */
  children: ReactNode;
};

/** Actions on the selected rows of a list. At the left, so that toasts don't cover it. */
export function SelectionBar({ label, count, note, onClear, children }: SelectionBarProps) {
  const bar = useRef<HTMLElement>(null);
  useKeepFocusAbove(bar);
  const selected = t`${formatCount(count)} selected`;
  return (
    <section
      ref={bar}
      aria-label={label}
      className="sticky bottom-[max(0.75rem,env(safe-area-inset-bottom))] z-10 mt-6 flex w-fit max-w-full flex-wrap items-center gap-x-3 gap-y-2 rounded-xl border border-line-firm bg-raised py-2 pr-3 pl-2 shadow-high max-sm:w-full max-sm:gap-x-2"
    >
      <IconButton label={t`Clear selection`} icon={<X />} size="sm" tooltip="none" onClick={onClear} />
      <p className="tabular grow leading-tight sm:mr-2">
        <span className="font-medium">{selected}</span>
        <span className="block text-xs text-ink-faint">{note}</span>
      </p>
      {children}
      <VisuallyHidden isAnnounced>{selected}</VisuallyHidden>
    </section>
  );
}
