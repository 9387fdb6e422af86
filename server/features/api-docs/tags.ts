import type { CONTRACTS } from '../../../contracts/all-endpoints.ts';
import { type Access, isForAdmins } from '../../../contracts/endpoint.ts';

const CHAPTERS = {
  Transfers: 'List, edit, resend and delete the transfers you sent.',
  Uploads: 'Send files: with one request, with tus, or in chunks in any order.',
  Downloads: 'What anyone with the link of a transfer can do.',
  'Upload invitations': 'Let people without an account upload files to you. Premium.',
  Analytics: 'Views and downloads over time and by country. Pro and Premium.',
  Webhooks: 'Receive events as signed requests to your own address. Premium.',
  'API keys': 'Keys for programs. Only a signed-in person can create them.',
  Account:
    'Registration, sign-in, profile, sessions, email preferences and the background of download pages.',
  'Plans and payments': 'Limits and prices of the plans, and payments.',
  Administration: 'For signed-in administrators of this installation. API keys cannot make these calls.',
  Service: 'Health of this installation, and this document.',
};
type Chapter = keyof typeof CHAPTERS;

const CHAPTER_OF: Record<keyof typeof CONTRACTS, Chapter> = {
  transfers: 'Transfers',
  transferBatches: 'Transfers',
  versions: 'Transfers',
  arrival: 'Transfers',
  uploads: 'Uploads',
  files: 'Uploads',
  tus: 'Uploads',
  downloads: 'Downloads',
  pickup: 'Downloads',
  previews: 'Downloads',
  invitations: 'Upload invitations',
  analytics: 'Analytics',
  webhooks: 'Webhooks',
  push: 'Account',
  apiKeys: 'API keys',
  accounts: 'Account',
  accountSettings: 'Account',
  accountEvents: 'Account',
  signIn: 'Account',
  signInLink: 'Account',
  signInPolicy: 'Administration',
  singleSignOn: 'Account',
  factors: 'Account',
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
  adminIdentityProviders: 'Administration',
  adminLookup: 'Administration',
  adminPlans: 'Administration',
  adminSystem: 'Administration',
  adminAudit: 'Administration',
  system: 'Service',
};

export const TAGS = Object.entries(CHAPTERS).map(([name, description]) => ({ name, description }));

export function tagOf(contract: keyof typeof CONTRACTS, access: Access): Chapter {
  return isForAdmins(access) ? 'Administration' : CHAPTER_OF[contract];
}
