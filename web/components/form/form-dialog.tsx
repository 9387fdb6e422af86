import { t } from '@lingui/core/macro';
import { type ReactNode, useCallback, useRef, useState } from 'react';
import { ConfirmDialog } from '../dialogs/confirm-dialog.tsx';
import { Dialog } from '../dialogs/dialog.tsx';
import { LeaveGuard } from '../layout/leave-guard.tsx';

export type FormDialogParts = {
  /** Reports whether closing would lose changes. */
  onChanged: (isChanged: boolean) => void;
  onCancel: () => void;
  onSaved: () => void;
};

type FormDialogProps = {
  isOpen: boolean;
  onClose: () => void;
  title: string;
  description?: string;
  /** Mounted while the dialog is open. */
  children: (parts: FormDialogParts) => ReactNode;
};

const WORDS = {
  title: t`Discard your changes?`,
  description: t`Your unsaved changes will be lost.`,
  confirmLabel: t`Discard changes`,
};

/** A dialog with a form. Confirms before changes are lost. */
export function FormDialog({ isOpen, onClose, title, description, children }: FormDialogProps) {
  const [isChanged, setChanged] = useState(false);
  // A busy browser may handle Escape before it renders what the keys before it changed.
  const hasChanges = useRef(false);
  const [isAsking, setAsking] = useState(false);
  const noteChanged = useCallback((changed: boolean) => {
    hasChanges.current = changed;
    setChanged(changed);
  }, []);
  const close = () => {
    setAsking(false);
    noteChanged(false);
    onClose();
  };
  const leave = () => (hasChanges.current ? setAsking(true) : close());
  return (
    <Dialog isOpen={isOpen} onOpenChange={leave} title={title} description={description} size="lg">
      {children({ onChanged: noteChanged, onCancel: leave, onSaved: close })}
      <LeaveGuard {...WORDS} isActive={isOpen && isChanged && !isAsking} />
      <ConfirmDialog
        {...WORDS}
        cancelLabel={t`Keep editing`}
        isDestructive
        isOpen={isAsking}
        onOpenChange={setAsking}
        onConfirm={close}
      />
    </Dialog>
  );
}

/** Buttons that stay visible however long the form is. Toasts keep clear of them. */
export function FormDialogFooter({ children }: { children: ReactNode }) {
  return (
    <div
      data-low-edge=""
      className="sticky bottom-0 -mx-6 mt-7 -mb-[max(2rem,env(safe-area-inset-bottom))] flex justify-end gap-3 border-t border-line bg-raised px-6 pt-4 pb-[max(1rem,env(safe-area-inset-bottom))] sm:-mx-8 sm:-mb-8 sm:rounded-b-xl sm:px-8"
    >
      {children}
    </div>
  );
}
