import { Trash2 } from 'lucide-react';
import { useState } from 'react';
import { Button } from '../../components/button.tsx';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';

type BackgroundRemovalProps = {
  /** Resolves also when it failed. */
  remove: () => Promise<unknown>;
  isRemoving: boolean;
};

export function BackgroundRemoval({ remove, isRemoving }: BackgroundRemovalProps) {
  const [isOpen, setOpen] = useState(false);
  const confirm = async () => {
    await remove();
    setOpen(false);
  };
  return (
    <>
      <Button variant="ghost" icon={<Trash2 aria-hidden="true" />} onClick={() => setOpen(true)}>
        Remove
      </Button>
      <ConfirmDialog
        isOpen={isOpen}
        onOpenChange={setOpen}
        title="Remove the background?"
        description="Your download pages get their usual look again, and the picture is deleted from Sendwell."
        confirmLabel="Remove background"
        isDestructive
        isBusy={isRemoving}
        onConfirm={() => void confirm()}
      />
    </>
  );
}
