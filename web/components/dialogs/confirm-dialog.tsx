import { lateModule } from '../../lib/loading/late-module.ts';
import type { ConfirmDialogProps } from './confirm-window.tsx';

const useWindow = lateModule(() => import('./confirm-window.tsx'), { isLikely: true });

/** Confirms an irreversible action. The focus starts on Cancel. */
export function ConfirmDialog(props: ConfirmDialogProps) {
  const loaded = useWindow(props.isOpen);
  return loaded && <loaded.ConfirmWindow {...props} />;
}
