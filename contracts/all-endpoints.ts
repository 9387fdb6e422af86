import * as accounts from './accounts/accounts.ts';
import * as apiKeys from './accounts/api-keys.ts';
import * as backgrounds from './accounts/backgrounds.ts';
import * as accountEvents from './accounts/events.ts';
import * as mailPreferences from './accounts/mail-preferences.ts';
import * as passwordReset from './accounts/password-reset.ts';
import * as push from './accounts/push.ts';
import * as registration from './accounts/registration.ts';
import * as accountSettings from './accounts/settings.ts';
import * as factors from './accounts/sign-in/factors.ts';
import * as signInLink from './accounts/sign-in/link.ts';
import * as signInPolicy from './accounts/sign-in/policy.ts';
import * as signIn from './accounts/sign-in/sign-in.ts';
import * as singleSignOn from './accounts/sign-in/single-sign-on.ts';
import * as webhooks from './accounts/webhooks.ts';
import * as adminAudit from './admin/audit.ts';
import * as adminIdentityProviders from './admin/identity-providers.ts';
import * as adminLookup from './admin/lookup.ts';
import * as adminPlans from './admin/plans.ts';
import * as adminScanning from './admin/scanning.ts';
import * as adminStats from './admin/stats.ts';
import * as adminSystem from './admin/system.ts';
import * as adminTransfers from './admin/transfers.ts';
import * as adminUsers from './admin/users.ts';
import * as analytics from './analytics.ts';
import type { Endpoint } from './endpoint.ts';
import * as ads from './plans/ads.ts';
import * as billing from './plans/billing.ts';
import * as tiers from './plans/tiers.ts';
import * as system from './system.ts';
import * as arrival from './transfers/arrival.ts';
import * as downloads from './transfers/downloads/downloads.ts';
import * as pickup from './transfers/downloads/pickup.ts';
import * as previews from './transfers/downloads/previews.ts';
import * as files from './transfers/settings/text-settings.ts';
import * as transferBatches from './transfers/transfer-batches.ts';
import * as transfers from './transfers/transfers.ts';
import * as invitations from './transfers/uploads/invitations.ts';
import * as tus from './transfers/uploads/tus.ts';
import * as uploads from './transfers/uploads/uploads.ts';
import * as versions from './transfers/versions.ts';

export const CONTRACTS = {
  system,
  tiers,
  registration,
  accounts,
  accountSettings,
  accountEvents,
  apiKeys,
  passwordReset,
  signIn,
  signInLink,
  signInPolicy,
  factors,
  singleSignOn,
  mailPreferences,
  backgrounds,
  transfers,
  transferBatches,
  arrival,
  analytics,
  previews,
  invitations,
  uploads,
  versions,
  tus,
  files,
  downloads,
  billing,
  webhooks,
  push,
  pickup,
  ads,
  adminStats,
  adminSystem,
  adminUsers,
  adminAudit,
  adminTransfers,
  adminScanning,
  adminIdentityProviders,
  adminLookup,
  adminPlans,
};

/** `name` is the export name and the operation id in the API document. */
export type NamedEndpoint = { contract: keyof typeof CONTRACTS; name: string; endpoint: Endpoint };

export const namedEndpoints: NamedEndpoint[] = Object.entries(CONTRACTS).flatMap(([contract, exports]) =>
  Object.entries(exports as Record<string, unknown>).flatMap(([name, endpoint]) =>
    isEndpoint(endpoint) ? [{ contract: contract as keyof typeof CONTRACTS, name, endpoint }] : [],
  ),
);

export const allEndpoints: Endpoint[] = namedEndpoints.map(({ endpoint }) => endpoint);

function isEndpoint(value: unknown): value is Endpoint {
  return (
    typeof value === 'object' && value !== null && 'method' in value && 'path' in value && 'access' in value
  );
}
