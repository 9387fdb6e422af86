import { type TierName, tierIncludes } from '../../../contracts/plans/tiers.ts';

/** The parts of the page in order; the ids are fragments of its address, and mails link to them. */
export const SECTIONS = [
  { id: 'profile', label: 'Profile' },
  { id: 'password', label: 'Password' },
  { id: 'plan', label: 'Plan' },
  { id: 'usage', label: 'Usage' },
  { id: 'background', label: 'Download background' },
  { id: 'notifications', label: 'Notifications' },
  { id: 'api-keys', label: 'API keys' },
  { id: 'webhooks', label: 'Webhooks' },
  { id: 'sessions', label: 'Sessions' },
  { id: 'delete-account', label: 'Delete account' },
] as const;

/** Those that somebody of this tier sees. */
export function sectionsOf(tier: TierName): readonly (typeof SECTIONS)[number][] {
  return SECTIONS.filter(({ id }) => id !== 'background' || tierIncludes(tier, 'background'));
}

export type SectionId = (typeof SECTIONS)[number]['id'];
