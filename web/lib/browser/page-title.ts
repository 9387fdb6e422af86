import { t } from '@lingui/core/macro';
import { useEffect } from 'react';

/** Sets the window's title while the page is shown ("My Transfers · Sendwell"). */
export function usePageTitle(title: string | undefined): void {
  useEffect(() => {
    document.title = title ? t`${title} · Sendwell` : 'Sendwell';
  }, [title]);
}
