import type { Ad } from '../../../contracts/plans/ads.ts';

type Showing = { word: string; tone: 'accent' | 'neutral' | 'outline' };

/** Whether an ad is shown, and if not, why. */
export function describeShowing(
  { isActive, isShowing, startDate }: Pick<Ad, 'isActive' | 'isShowing' | 'startDate'>,
  now = Date.now(),
): Showing {
  if (!isActive) return { word: 'Paused', tone: 'neutral' };
  if (isShowing) return { word: 'Showing', tone: 'accent' };
  const isToCome = startDate !== null && Date.parse(startDate) > now;
  return { word: isToCome ? 'Scheduled' : 'Ended', tone: 'outline' };
}
