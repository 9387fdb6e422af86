import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import {
  getAdFileUrl,
  listActiveAds,
  recordAdEvent as recordAdEventEndpoint,
  type ShownAd,
} from '../../../../contracts/plans/ads.ts';
import { call } from '../../../api/call.ts';
import { queryOf } from '../../../api/endpoint-query.ts';
import { queryClient } from '../../../api/query-client.ts';
import { useSession } from '../../../api/session/session.ts';

/** Ads start and end while a page is open. */
const LIST_FRESH_MS = 10 * 60_000;
/** File URLs are valid for an hour. */
const URL_FRESH_MS = 30 * 60_000;

/** Ads that load later than this are shown on the next visit. */
const MAX_WAIT_MS = 3_000;

/** The ads for free users. Other users have none, and nothing is requested. */
export function useAds(): { ads: ShownAd[]; isLoading: boolean } {
  const { user } = useSession();
  const isFree = user?.tier === 'free';
  const { data, isPending } = useQuery({
    ...queryOf(listActiveAds),
    enabled: isFree,
    staleTime: LIST_FRESH_MS,
    refetchInterval: LIST_FRESH_MS,
  });
  const isLoading = isFree && isPending;
  const [isLate, setIsLate] = useState(false);
  useEffect(() => {
    if (!isLoading) return;
    const timer = setTimeout(() => setIsLate(true), MAX_WAIT_MS);
    return () => clearTimeout(timer);
  }, [isLoading]);
  return { ads: (isFree && !isLate && data) || [], isLoading: isLoading && !isLate };
}

/** The URL of an ad's file, otherwise the ad's own URL; null if it has neither. Never throws. */
export async function findAdSource({ id, wasabiKey, url }: ShownAd): Promise<string | null> {
  if (wasabiKey === null) return url;
  try {
    const file = await queryClient.fetchQuery({
      ...queryOf(getAdFileUrl, { params: { id } }),
      staleTime: URL_FRESH_MS,
    });
    return file.url;
  } catch (error) {
    // A failure is only logged; the ad's own URL is used.
    console.warn('Could not get the URL of an ad’s file', error);
    return url;
  }
}

/** Ignores failures, which don't concern the user. */
export function recordAdEvent(id: string, event: 'view' | 'click'): void {
  call(recordAdEventEndpoint, { params: { id }, body: { event } }).catch(() => undefined);
}

/** Bytes 12 to 15 of an extended WebP file, and the animation flag in byte 20 (WebP container, section 2.7). */
const EXTENDED_WEBP = 'VP8X';
const ANIMATION_FLAG = 0x02;

/** Whether a picture may be animated. Stored files are WebP; pictures from other origins can't be read, so they may be. */
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
