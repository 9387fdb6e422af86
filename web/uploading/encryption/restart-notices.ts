import { t } from '@lingui/core/macro';
import { type ToastInput, toast } from '../../components/feedback/toast.ts';

/** Why files are sent again. */
export function tellRestart(before: boolean, after: boolean): void {
  toast(describeRestart(before, after));
}

function describeRestart(before: boolean, after: boolean): ToastInput {
  const description = t`What was sent so far was deleted on the server. Your files are not affected.`;
  if (!after) return { title: t`Sending begins again without encryption`, description };
  if (!before) return { title: t`Sending begins again, now encrypted`, description };
  return { title: t`Sending begins again with the new password`, description };
}

export function tellImpossibleRestart(): void {
  toast({
    title: t`The encryption can’t be changed now`,
    description: t`Some files are only on the server. Cancel this upload and choose all files again.`,
    variant: 'destructive',
  });
}
