import { Files } from 'lucide-react';
import { useState } from 'react';
import type { AdminTransfer } from '../../../contracts/admin/transfers.ts';
import { EmptyState } from '../../components/empty-state.tsx';
import { ListBody } from './list-body.tsx';
import { SelectionBar } from './selection-bar.tsx';
import { type OpenTransferDialog, TransferDialogs } from './transfer-dialogs.tsx';
import { isNarrowed, TRANSFER_VIEW, useAllTransfers } from './transfer-queries.ts';
import { TransferToolbar } from './transfer-toolbar.tsx';
import { TransfersTable } from './transfers-table.tsx';
import { useSelection } from './use-selection.ts';
import { useView } from './use-view.ts';

/** The list, what is chosen in it across its pages, and what is done with that. */
export function AllTransfers() {
  const { view, change, clear } = useView(TRANSFER_VIEW);
  const list = useAllTransfers(view);
  const selection = useSelection<AdminTransfer>();
  const [dialog, setDialog] = useState<OpenTransferDialog | null>(null);
  return (
    <>
      <TransferToolbar view={view} onChange={change} isSearching={list.isSearching} />
      <ListBody
        what="transfers"
        list={list}
        onClear={isNarrowed(view) ? clear : undefined}
        nothing={<EmptyState icon={<Files />} title="No transfers yet" />}
      >
        {(transfers) => <TransfersTable {...{ transfers, selection }} onOpen={setDialog} />}
      </ListBody>
      {selection.chosen.length > 0 && <SelectionBar selection={selection} onOpen={setDialog} />}
      <TransferDialogs
        dialog={dialog}
        onClose={() => setDialog(null)}
        onGone={(ids) => selection.forget(ids)}
        onExtended={selection.clear}
      />
    </>
  );
}
