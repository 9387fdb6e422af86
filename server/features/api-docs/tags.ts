import type { CONTRACTS } from '../../../contracts/all-endpoints.ts';
import type { Access } from '../../../contracts/endpoint.ts';

/** The chapters of the reference, in their order. */
const CHAPTERS = {
  Transfers: 'What you have sent: list it, change it, mail it again, delete it.',
  Uploads: 'Sending files: in one line, by tus, or announced, sent in chunks in any order, and completed.',
  Downloads: 'What anybody with the link of a transfer may do.',
  'Upload invitations': 'Having files sent to you by people without an account; premium.',
  Analytics: 'Who looked, who downloaded, when and from where; pro and premium.',
  Webhooks: 'Being told of events by a signed call to an address of yours; premium.',
  'API keys': 'The keys that programs call with. They are made by a signed-in person only.',
  Account: 'Signing up and in, the profile, sessions, mails and the background of the download pages.',
  'Plans and payments': 'What the plans allow, and paying for them.',
  Administration: 'For administrators of this installation, signed in; no API key may make these calls.',
  Service: 'Whether this installation is well, and this document.',
};
type Chapter = keyof typeof CHAPTERS;

const CHAPTER_OF: Record<keyof typeof CONTRACTS, Chapter> = {
  transfers: 'Transfers',
  uploads: 'Uploads',
  files: 'Uploads',
  tus: 'Uploads',
  downloads: 'Downloads',
  previews: 'Downloads',
  invitations: 'Upload invitations',
  analytics: 'Analytics',
  webhooks: 'Webhooks',
  apiKeys: 'API keys',
  accounts: 'Account',
  accountSettings: 'Account',
  passwordReset: 'Account',
  mailPreferences: 'Account',
  backgrounds: 'Account',
  registration: 'Account',
  tiers: 'Plans and payments',
  billing: 'Plans and payments',
  ads: 'Plans and payments',
  adminStats: 'Administration',
  adminUsers: 'Administration',
  adminScanning: 'Administration',
  adminTransfers: 'Administration',
  adminLookup: 'Administration',
  adminPlans: 'Administration',
  adminSystem: 'Administration',
  adminAudit: 'Administration',
  site: 'Service',
  health: 'Service',
  apiDocs: 'Service',
};

export const TAGS = Object.entries(CHAPTERS).map(([name, description]) => ({ name, description }));

/** The chapter of a call. What an administrator does has one of its own, wherever its contract is. */
export function tagOf(contract: keyof typeof CONTRACTS, access: Access): Chapter {
  return access === 'admin' ? 'Administration' : CHAPTER_OF[contract];
}
