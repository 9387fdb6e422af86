import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { getAdFileUrl, listActiveAds, noteAdEvent, type ShownAd } from '../../../contracts/plans/ads.ts';
import { call } from '../../api/call.ts';
import { queryClient } from '../../api/query-client.ts';
import { useSession } from '../../api/session.ts';

const ADS_KEY = ['/api/ads/active'];
/** Ads begin and end while a page stays open. */
const LIST_KEPT_MS = 10 * 60_000;
/** Well within the hour that an address lasts. */
const ADDRESS_KEPT_MS = 30 * 60_000;

/** Nobody waits longer for ads; those that come later are for the next visit. */
const PATIENCE_MS = 3_000;

/** The ads for a free user; for everybody else there are none, and nobody is asked. */
export function useAds(): { ads: ShownAd[]; isLoading: boolean } {
  const { user } = useSession();
  const isFree = user?.tier === 'free';
  const { data, isPending } = useQuery({
    queryKey: ADS_KEY,
    queryFn: ({ signal }) => call(listActiveAds, { signal }),
    enabled: isFree,
    staleTime: LIST_KEPT_MS,
    refetchInterval: LIST_KEPT_MS,
  });
  const isLoading = isFree && isPending;
  const [isLate, setIsLate] = useState(false);
  useEffect(() => {
    if (!isLoading) return;
    const timer = setTimeout(() => setIsLate(true), PATIENCE_MS);
    return () => clearTimeout(timer);
  }, [isLoading]);
  return { ads: (isFree && !isLate && data) || [], isLoading: isLoading && !isLate };
}

/** Where what an ad shows lies: its file, else its own address; null when it has neither. Never throws. */
export async function findAdSource({ id, wasabiKey, url }: ShownAd): Promise<string | null> {
  if (wasabiKey === null) return url;
  try {
    const file = await queryClient.fetchQuery({
      queryKey: ['/api/ads', id, 'file-url'],
      queryFn: () => call(getAdFileUrl, { params: { id } }),
      staleTime: ADDRESS_KEPT_MS,
    });
    return file.url;
  } catch (error) {
    // "Ad file address failure: only logged; the ad's own url is used" (specification section 8).
    console.warn('The address of an ad’s file could not be had', error);
    return url;
  }
}

/** Whether it is counted is nothing that somebody who looks at an ad should hear of. */
export function noteAd(id: string, event: 'view' | 'click'): void {
  call(noteAdEvent, { params: { id }, body: { event } }).catch(() => undefined);
}

/** Bytes 12 to 15 of a WebP with a header of its own, and the flag in its byte 20 (WebP container, section 2.7). */
const EXTENDED_WEBP = 'VP8X';
const ANIMATION_FLAG = 0x02;

/** Whether a picture may move. Our own files are WebP; pictures at other addresses cannot be read, so they may. */
export async function isAnimated(src: string): Promise<boolean> {
  if (new URL(src, location.href).origin !== location.origin) return true;
  try {
    const response = await fetch(src, { headers: { range: 'bytes=0-31' } });
    const head = new Uint8Array(await response.arrayBuffer());
    const isExtended = String.fromCharCode(...head.subarray(12, 16)) === EXTENDED_WEBP;
    return isExtended && ((head[20] ?? 0) & ANIMATION_FLAG) !== 0;
  } catch {
    return false;
  }
}
