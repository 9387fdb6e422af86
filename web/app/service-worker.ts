import { t } from '@lingui/core/macro';
import { SHARE_FAILED_PAGE } from '../../contracts/values/addresses/pages.ts';
import { toast } from '../components/feedback/toast.ts';

/** For the installed app and for notifications. Pages work without it. */
export function registerServiceWorker(): void {
  if (!import.meta.env.PROD) return;
  // Absent on plain http, and rejected in some private windows.
  navigator.serviceWorker?.register('/service-worker.js', { updateViaCache: 'none' }).catch(() => {});
}

export function reportFailedShare(): void {
  if (window.location.pathname + window.location.search !== SHARE_FAILED_PAGE) return;
  toast({
    title: t`The shared files didn't arrive`,
    description: t`Please choose them here instead.`,
    variant: 'destructive',
  });
}
