import type { ShownAd } from '../../../contracts/plans/ads.ts';

type Weighted = Pick<ShownAd, 'id' | 'priority'>;

/**
 * The ad to show next: any but the one that shows, as often as its priority says; the same again only when it is
 * the only one. `chance` lies in [0, 1). undefined when there is none. Specification section 2, "Ad banner".
 */
export function pickAd<Ad extends Weighted>(
  ads: readonly Ad[],
  currentId: string | undefined,
  chance: number,
): Ad | undefined {
  const others = ads.filter(({ id }) => id !== currentId);
  const choice = others.length > 0 ? others : ads;
  let left = chance * choice.reduce((sum, { priority }) => sum + priority, 0);
  for (const ad of choice) {
    left -= ad.priority;
    if (left < 0) return ad;
  }
  return choice.at(-1);
}

/** Where an address leads, in the few letters that people look at. */
export function hostOf(url: string | null): string | undefined {
  return url === null ? undefined : URL.parse(url)?.host.replace(/^www\./, '');
}
