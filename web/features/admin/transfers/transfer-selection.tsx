import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { CalendarPlus, Trash2 } from 'lucide-react';
import { type AdminTransfer, BATCH_MAX } from '../../../../contracts/admin/transfers.ts';
import { formatCount } from '../../../../contracts/values/format.ts';
import { formatSize } from '../../../../contracts/values/sizes.ts';
import { Button } from '../../../components/actions/button.tsx';
import { SelectionBar } from '../../../components/data/selection-bar.tsx';
import type { Selection } from '../../../lib/values/use-selection.ts';
import type { OpenTransferDialog } from './transfer-dialogs.tsx';

type TransferSelectionProps = {
  selection: Selection<AdminTransfer>;
  onOpen: (dialog: OpenTransferDialog) => void;
};

/** Actions on the rows selected across all pages. */
export function TransferSelection({ selection: { chosen, clear }, onOpen }: TransferSelectionProps) {
  const bytes = chosen.reduce((sum, { totalSize }) => sum + totalSize, 0);
  const isTooMany = chosen.length > BATCH_MAX;
  return (
    <SelectionBar
      label={t`Selected transfers`}
      count={chosen.length}
      note={isTooMany ? t`At most ${formatCount(BATCH_MAX)} at once` : formatSize(bytes)}
      onClear={clear}
    >
      <Button
        variant="secondary"
        size="sm"
        icon={<CalendarPlus aria-hidden="true" className="max-sm:hidden" />}
        disabled={isTooMany}
        onClick={() => onOpen({ kind: 'extend', transfers: chosen })}
      >
        <Trans>Extend</Trans>
      </Button>
      <Button
        variant="danger"
        size="sm"
        icon={<Trash2 aria-hidden="true" className="max-sm:hidden" />}
        disabled={isTooMany}
        onClick={() => onOpen({ kind: 'delete', transfers: chosen })}
      >
        <Trans>Delete</Trans>
      </Button>
    </SelectionBar>
  );
}
