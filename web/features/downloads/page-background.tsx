import { useQuery } from '@tanstack/react-query';
import { useLayoutEffect, useState } from 'react';
import { getDownloadBackgroundUrl } from '../../../contracts/accounts/backgrounds.ts';
import { queryOf } from '../../api/endpoint-query.ts';
import { PictureBackdrop } from '../../components/media/picture-backdrop.tsx';

export type Background = { url: string; onError: () => void };

/**
 * The sender's picture behind the page, requested in parallel with the transfer. The page never waits for it, and
 * stays as it is if the request or the picture fails.
 */
export function useBackground(token: string, { isWanted }: { isWanted: boolean }): Background | undefined {
  const [failedUrl, setFailedUrl] = useState('');
  const { data } = useQuery({
    ...queryOf(getDownloadBackgroundUrl, { params: { token } }),
  });
  const url = data?.url;
  const isShown = isWanted && typeof url === 'string' && url !== failedUrl;
  return isShown ? { url, onError: () => setFailedUrl(url) } : undefined;
}

/** Covers the window without scrolling, and switches the page to the colors for pictures. */
export function PageBackground({ url, onError }: Background) {
  useLayoutEffect(() => {
    const { dataset } = document.documentElement;
    dataset.overPicture = '';
    return () => {
      delete dataset.overPicture;
    };
  }, []);
  return (
    <PictureBackdrop
      large={`${url}?size=large`}
      small={`${url}?size=small`}
      onError={onError}
      data-testid="page-background"
      className="fixed inset-x-0 top-0 h-lvh"
    />
  );
}
