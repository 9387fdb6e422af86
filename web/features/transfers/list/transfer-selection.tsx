import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { CalendarPlus, Trash2 } from 'lucide-react';
import type { ListedTransfer } from '../../../../contracts/transfers/transfers.ts';
import { formatCount } from '../../../../contracts/values/format.ts';
import { formatSize } from '../../../../contracts/values/sizes.ts';
import { Button } from '../../../components/actions/button.tsx';
import { SelectionBar } from '../../../components/data/selection-bar.tsx';
import type { Selection } from '../../../lib/values/use-selection.ts';
import type { ListDialog } from './list-dialogs.tsx';

type TransferSelectionProps = {
  selection: Selection<ListedTransfer>;
  /** All that the list has loaded. */
  transfers: ListedTransfer[];
  onOpen: (dialog: ListDialog) => void;
};

export function TransferSelection({ selection, transfers, onOpen }: TransferSelectionProps) {
  const { chosen, choose, clear } = selection;
  const bytes = chosen.reduce((sum, { totalSize }) => sum + totalSize, 0);
  return (
    <SelectionBar
      label={t`Selected transfers`}
      count={chosen.length}
      note={formatSize(bytes)}
      onClear={clear}
    >
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
    </SelectionBar>
  );
}
