import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { CalendarPlus, Trash2, X } from 'lucide-react';
import { useRef } from 'react';
import type { ListedTransfer } from '../../../../contracts/transfers/transfers.ts';
import { formatCount } from '../../../../contracts/values/format.ts';
import { formatSize } from '../../../../contracts/values/sizes.ts';
import { Button } from '../../../components/actions/button.tsx';
import { IconButton } from '../../../components/actions/icon-button.tsx';
import { VisuallyHidden } from '../../../components/layout/visually-hidden.tsx';
import { useKeepFocusAbove } from '../../../lib/browser/use-keep-focus-above.ts';
import type { Selection } from '../../../lib/values/use-selection.ts';
import type { ListDialog } from './list-dialogs.tsx';

type SelectionBarProps = {
  selection: Selection<ListedTransfer>;
  /** All that the list has loaded. */
  transfers: ListedTransfer[];
  onOpen: (dialog: ListDialog) => void;
};

/** Actions on the selected transfers. At the left, so that toasts don't cover it. */
export function SelectionBar({ selection, transfers, onOpen }: SelectionBarProps) {
  const { chosen, choose, clear } = selection;
  const bar = useRef<HTMLElement>(null);
  useKeepFocusAbove(bar);
  const count = t`${formatCount(chosen.length)} selected`;
  const bytes = chosen.reduce((sum, { totalSize }) => sum + totalSize, 0);
  return (
    <section
      ref={bar}
      aria-label={t`Selected transfers`}
      className="sticky bottom-[max(0.75rem,env(safe-area-inset-bottom))] z-10 mt-6 flex w-fit max-w-full flex-wrap items-center gap-x-3 gap-y-2 rounded-xl border border-line-firm bg-raised py-2 pr-3 pl-2 shadow-high max-sm:w-full max-sm:gap-x-2"
    >
      <IconButton label={t`Clear selection`} icon={<X />} size="sm" tooltip="none" onClick={clear} />
      <p className="tabular grow leading-tight sm:mr-2">
        <span className="font-medium">{count}</span>
        <span className="block text-xs text-ink-faint">{formatSize(bytes)}</span>
      </p>
      {chosen.length < transfers.length && (
        <Button
          variant="ghost"
          size="sm"
          className="max-sm:order-last max-sm:basis-full"
          onClick={() => choose(transfers, true)}
        >
          <Trans>Select all {formatCount(transfers.length)}</Trans>
        </Button>
      )}
      <Button
        variant="secondary"
        size="sm"
        icon={<CalendarPlus aria-hidden="true" className="max-sm:hidden" />}
        onClick={() => onOpen({ kind: 'extend-many', transfers: chosen })}
      >
        <Trans>Extend</Trans>
      </Button>
      <Button
        variant="danger"
        size="sm"
        icon={<Trash2 aria-hidden="true" className="max-sm:hidden" />}
        onClick={() => onOpen({ kind: 'delete-many', transfers: chosen })}
      >
        <Trans>Delete</Trans>
      </Button>
      <VisuallyHidden isAnnounced>{count}</VisuallyHidden>
    </section>
  );
}
