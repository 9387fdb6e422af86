import { useState } from 'react';
import { getDownloadBackgroundUrl } from '../../../contracts/accounts/backgrounds.ts';
import { call } from '../../api/call.ts';
import { useLoaded } from '../../lib/hooks/use-loaded.ts';

export type Background = { url: string; onError: () => void };

/**
 * The sender's picture behind the page, requested in parallel with the transfer. The page never waits for it, and
 * stays as it is if the request or the picture fails.
 */
export function useBackground(token: string, { isWanted }: { isWanted: boolean }): Background | undefined {
  const [failedUrl, setFailedUrl] = useState('');
  const { data } = useLoaded(token, (signal) =>
    call(getDownloadBackgroundUrl, { params: { token }, signal }),
  );
  const url = data?.url;
  const isShown = isWanted && typeof url === 'string' && url !== failedUrl;
  return isShown ? { url, onError: () => setFailedUrl(url) } : undefined;
}
