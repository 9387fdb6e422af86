import type { TierName } from '../../../contracts/plans/tiers.ts';

type PlanWords = {
  /** For whom it is. */
  purpose: string;
  /** Above the list, when it adds to the plan before. */
  base?: string;
  features: readonly string[];
};

const PRIORITY_SUPPORT = 'Priority support';

/** The features on a plan's card. */
export const PLAN_WORDS: Record<TierName, PlanWords> = {
  free: {
    purpose: 'For the file that has to be there today.',
    features: ['Email notifications', 'Basic download tracking', 'Standard file expiration'],
  },
  pro: {
    purpose: 'For work that is sent out every week.',
    base: 'All Free features, and',
    features: [
      'Password protection',
      'Download limit controls',
      'Scheduled transfers',
      'Auto-delete after downloads',
      'File preview and thumbnails',
      'Transfer analytics dashboard',
      'Download notifications',
      'RESTful API access',
    ],
  },
  premium: {
    purpose: 'For those who receive as well.',
    base: 'All Pro features, and',
    features: [
      'Upload invitation links',
      'RESTful API access',
      'Custom background images',
      'Advanced API rate limits',
      PRIORITY_SUPPORT,
      'Extended analytics history',
      'Higher download limits',
    ],
  },
};

/** A plan's features; priority support only where the operator offers it. */
export function listFeatures(
  tier: TierName,
  { hasPrioritySupport }: { hasPrioritySupport: boolean },
): readonly string[] {
  const { features } = PLAN_WORDS[tier];
  return hasPrioritySupport ? features : features.filter((feature) => feature !== PRIORITY_SUPPORT);
}
