import { memo, useState } from 'react';
import type { Transfer } from '../../../contracts/transfers/transfers.ts';
import { classNames } from '../../lib/class-names.ts';
import { DeleteDialog } from './delete-dialog.tsx';
import { ShareDialog } from './share-dialog.tsx';
import { TransferCard } from './transfer-card.tsx';
import { useDeleteTransfer } from './transfer-queries.ts';

type TransferItemProps = { transfer: Transfer; isLeaving: boolean };

/** A card and its end: it folds away as soon as the deletion is confirmed, and is back if that fails. */
export const TransferItem = memo(function TransferItem({ transfer, isLeaving }: TransferItemProps) {
  const [dialog, setDialog] = useState<'delete' | 'share' | null>(null);
  const { mutate } = useDeleteTransfer();
  const close = () => setDialog(null);
  const confirm = () => {
    close();
    mutate(transfer.id);
  };
  return (
    <div
      inert={isLeaving}
      className={classNames(
        'grid transition-[grid-template-rows,opacity] duration-(--calm) ease-settle',
        isLeaving ? 'grid-rows-[0fr] opacity-0' : 'grid-rows-[1fr]',
      )}
    >
      <div className={classNames('min-h-0 min-w-0', isLeaving && 'overflow-hidden')}>
        {/* A new copy while it leaves: the button that had the focus is gone, so the page gets it. */}
        <div key={String(isLeaving)} className="pb-4">
          <TransferCard
            transfer={transfer}
            onShare={() => setDialog('share')}
            onDelete={() => setDialog('delete')}
          />
        </div>
      </div>
      <ShareDialog transfer={transfer} isOpen={dialog === 'share'} onClose={close} />
      <DeleteDialog
        transfer={transfer}
        isOpen={dialog === 'delete'}
        onOpenChange={close}
        onConfirm={confirm}
      />
    </div>
  );
});
