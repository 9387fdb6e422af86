import { useState } from 'react';
import type { Transfer } from '../../../contracts/transfers.ts';
import { classNames } from '../../lib/class-names.ts';
import { DeleteDialog } from './delete-dialog.tsx';
import { TransferCard } from './transfer-card.tsx';
import { useDeleteTransfer } from './transfer-queries.ts';

/** A card and its end: it folds away as soon as the deletion is confirmed, and is back if that fails. */
export function TransferItem({ transfer }: { transfer: Transfer }) {
  const [isAsking, setAsking] = useState(false);
  const { mutate, isPending, isSuccess } = useDeleteTransfer();
  const isLeaving = isPending || isSuccess;
  const confirm = () => {
    setAsking(false);
    mutate(transfer.id);
  };
  return (
    <li
      inert={isLeaving}
      className={classNames(
        'grid transition-[grid-template-rows,opacity] duration-(--calm) ease-settle',
        isLeaving ? 'grid-rows-[0fr] opacity-0' : 'grid-rows-[1fr]',
      )}
    >
      <div className={classNames('min-h-0 min-w-0', isLeaving && 'overflow-hidden')}>
        {/* A new copy while it leaves: the button that had the focus is gone, so the page gets it. */}
        <div key={String(isLeaving)} className="pb-4">
          <TransferCard transfer={transfer} onDelete={() => setAsking(true)} />
        </div>
      </div>
      <DeleteDialog transfer={transfer} isOpen={isAsking} onOpenChange={setAsking} onConfirm={confirm} />
    </li>
  );
}
