import { t } from '@lingui/core/macro';
import { toast } from '../../components/feedback/toast.ts';

/** For dropped or pasted files that the browser cannot open. */
export function reportUnreadable(): void {
  toast({
    title: t`These files could not be read`,
    description: t`Your browser couldn't open this location. Please choose individual files instead.`,
    variant: 'destructive',
  });
}
