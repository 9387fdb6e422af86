import { useSearchParams } from 'react-router';
import { ANALYTICS_DAYS } from '../../../contracts/analytics.ts';
import { useSession } from '../../api/session.ts';
import { readDays } from './ranges.ts';

/** `longestDays` is what the plan tells, 0 for a plan without analytics. */
export type ChosenRange = { days: number; longestDays: number };

/** The range the address asks for, as far as the plan goes. */
export function useRange(): ChosenRange {
  const [params] = useSearchParams();
  const { user } = useSession();
  const tier = user?.tier ?? 'free';
  const longestDays = tier === 'free' ? 0 : ANALYTICS_DAYS[tier];
  return { days: readDays(params, longestDays), longestDays };
}
