import { t } from '@lingui/core/macro';
import { ApiError } from '../../../client/api-error.ts';
import { toast } from '../../components/feedback/toast.ts';

export function sayStartFailed(error: unknown): void {
  const isSaid = error instanceof ApiError && error.detail !== '';
  toast({
    title: t`Error`,
    description: isSaid ? error.message : t`Failed to initiate subscription`,
    variant: 'destructive',
  });
}
