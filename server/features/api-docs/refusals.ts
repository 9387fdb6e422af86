import type { NamedEndpoint } from '../../../contracts/all-endpoints.ts';

/** What the rules of a contract refuse with, beyond what follows from how its calls are guarded and read. */
const BY_CONTRACT: Partial<Record<NamedEndpoint['contract'], number[]>> = {
  accounts: [409, 429],
  accountSettings: [402, 409, 429],
  apiKeys: [402, 409],
  backgrounds: [402, 410, 429],
  ads: [410],
  mailPreferences: [410],
  passwordReset: [410, 429],
  transfers: [402, 409, 413, 429],
  previews: [402, 410, 416, 423, 429],
  analytics: [402],
  invitations: [402, 409, 410, 413, 415, 429],
  uploads: [402, 409, 410, 413, 429, 507],
  downloads: [410, 416, 423, 429],
  billing: [402, 404, 409, 410, 429],
  adminUsers: [409],
  adminPlans: [409],
};

/** The statuses a call may be refused with; whatever else there may be is the document's `default`. */
export function listRefusals({ contract, endpoint }: NamedEndpoint): number[] {
  const { access, params, query, body, method } = endpoint;
  const statuses = [
    ...(query || body ? [400] : []),
    // 429: keys and sessions have a budget of calls.
    ...(access === 'public' ? [] : [401, 403, 429]),
    ...(method === 'GET' ? [] : [403]),
    ...(params ? [404] : []),
    ...(body ? [413, 415] : []),
    ...(endpoint.idempotent ? [409, 422] : []),
    ...(BY_CONTRACT[contract] ?? []),
    503,
  ];
  return [...new Set(statuses)].sort((one, other) => one - other);
}
