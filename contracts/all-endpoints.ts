import * as accountSettings from './account-settings.ts';
import * as accounts from './accounts.ts';
import * as adminAudit from './admin-audit.ts';
import * as adminPlans from './admin-plans.ts';
import * as adminStats from './admin-stats.ts';
import * as adminSystem from './admin-system.ts';
import * as adminTransfers from './admin-transfers.ts';
import * as adminUsers from './admin-users.ts';
import * as ads from './ads.ts';
import * as analytics from './analytics.ts';
import * as apiKeys from './api-keys.ts';
import * as backgrounds from './backgrounds.ts';
import * as billing from './billing.ts';
import * as downloads from './downloads.ts';
import type { Endpoint } from './endpoint.ts';
import * as health from './health.ts';
import * as invitations from './invitations.ts';
import * as mailPreferences from './mail-preferences.ts';
import * as passwordReset from './password-reset.ts';
import * as previews from './previews.ts';
import * as tiers from './tiers.ts';
import * as transfers from './transfers.ts';
import * as uploads from './uploads.ts';

/** Every call there is: what the access test walks and the API document lists. */
export const allEndpoints: Endpoint[] = [
  health,
  tiers,
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
  downloads,
  billing,
  ads,
  adminStats,
  adminSystem,
  adminUsers,
  adminAudit,
  adminTransfers,
  adminPlans,
]
  .flatMap((contract) => Object.values(contract) as unknown[])
  .filter(isEndpoint);

function isEndpoint(value: unknown): value is Endpoint {
  return (
    typeof value === 'object' && value !== null && 'method' in value && 'path' in value && 'access' in value
  );
}
