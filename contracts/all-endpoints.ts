import * as accountSettings from './account-settings.ts';
import * as accounts from './accounts.ts';
import * as adminAudit from './admin-audit.ts';
import * as adminLookup from './admin-lookup.ts';
import * as adminPlans from './admin-plans.ts';
import * as adminScanning from './admin-scanning.ts';
import * as adminStats from './admin-stats.ts';
import * as adminSystem from './admin-system.ts';
import * as adminTransfers from './admin-transfers.ts';
import * as adminUsers from './admin-users.ts';
import * as ads from './ads.ts';
import * as analytics from './analytics.ts';
import * as apiDocs from './api-docs.ts';
import * as apiKeys from './api-keys.ts';
import * as backgrounds from './backgrounds.ts';
import * as billing from './billing.ts';
import * as downloads from './downloads.ts';
import type { Endpoint } from './endpoint.ts';
import * as files from './files.ts';
import * as health from './health.ts';
import * as invitations from './invitations.ts';
import * as mailPreferences from './mail-preferences.ts';
import * as passwordReset from './password-reset.ts';
import * as previews from './previews.ts';
import * as registration from './registration.ts';
import * as site from './site.ts';
import * as tiers from './tiers.ts';
import * as transfers from './transfers.ts';
import * as tus from './tus.ts';
import * as uploads from './uploads.ts';
import * as webhooks from './webhooks.ts';

/** Every contract that has calls. */
export const CONTRACTS = {
  health,
  tiers,
  site,
  registration,
  accounts,
  accountSettings,
  apiKeys,
  passwordReset,
  mailPreferences,
  backgrounds,
  transfers,
  analytics,
  previews,
  invitations,
  uploads,
  tus,
  files,
  downloads,
  billing,
  webhooks,
  ads,
  adminStats,
  adminSystem,
  adminUsers,
  adminAudit,
  adminTransfers,
  adminScanning,
  adminLookup,
  adminPlans,
  apiDocs,
};

/** A call with the name its contract exports it by, which is its name in the API document too. */
export type NamedEndpoint = { contract: keyof typeof CONTRACTS; name: string; endpoint: Endpoint };

export const namedEndpoints: NamedEndpoint[] = Object.entries(CONTRACTS).flatMap(([contract, exports]) =>
  Object.entries(exports as Record<string, unknown>).flatMap(([name, endpoint]) =>
    isEndpoint(endpoint) ? [{ contract: contract as keyof typeof CONTRACTS, name, endpoint }] : [],
  ),
);

/** Every call there is: what the access test walks and the API document lists. */
export const allEndpoints: Endpoint[] = namedEndpoints.map(({ endpoint }) => endpoint);

function isEndpoint(value: unknown): value is Endpoint {
  return (
    typeof value === 'object' && value !== null && 'method' in value && 'path' in value && 'access' in value
  );
}
