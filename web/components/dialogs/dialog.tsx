import type { ReactNode } from 'react';
import { lateModule } from '../../lib/loading/late-module.ts';
import type { DialogProps } from './dialog-window.tsx';

const useWindow = lateModule(() => import('./dialog-window.tsx'), { isLikely: true });

/** For a dialog that must open even if the server has no code of this page any more. */
export const preloadDialog = useWindow.preload;

/**
 * A modal dialog; on phones a bottom sheet. Toasts stay reachable while it is open. The buttons of `footer` come with
 * the primary one last; on phones they stack with it on top.
 */
export function Dialog({ footer, ...props }: DialogProps) {
  const loaded = useWindow(props.isOpen);
  return (
    loaded && <loaded.DialogWindow {...props} footer={footer && <DialogFooter>{footer}</DialogFooter>} />
  );
}

/** Use it directly if the buttons must be inside a form in the dialog's body. */
export function DialogFooter({ children }: { children: ReactNode }) {
  return <div className="mt-8 flex flex-col-reverse gap-3 sm:flex-row sm:justify-end">{children}</div>;
}
