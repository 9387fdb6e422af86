import { t } from '@lingui/core/macro';
import { toast } from '../feedback/toast.ts';

export function canShareNatively(): boolean {
  return typeof navigator.share === 'function';
}

/** Opens the system's share sheet. Closing it is not an error. */
export async function shareNatively(link: string, title: string): Promise<void> {
  try {
    await navigator.share({ title, url: link });
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') return;
    toast({ title: t`The link could not be shared`, description: link, variant: 'destructive' });
  }
}
