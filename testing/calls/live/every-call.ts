import { namedEndpoints } from '../../../contracts/all-endpoints.ts';
import { createReadyTransfer } from '../../factories.ts';
import { ADMIN_CALLS } from '../admin-calls.ts';
import { ACCOUNT_CALLS, formOf } from './account-calls.ts';
import { type LiveCall, type LiveWorld, routeOf, type Wanted } from './live-world.ts';
import { PAYING_CALLS } from './paying-calls.ts';
import { SENDING_CALLS } from './sending-calls.ts';
import { TRANSFER_CALLS } from './transfer-calls.ts';

/** Administrator calls that only read. */
const READ_ONLY = [
  'getAdminStats',
  'getAdminTrends',
  'getStorageTruth',
  'getDeletionSafety',
  'listDamagedFiles',
  'listMails',
  'listJobs',
  'runSystemChecks',
  'seeRequest',
  'listUsers',
  'listAudit',
  'getRegistration',
  'getSignInPolicy',
  'listIdentityProviders',
  'listAccountInvitations',
  'listAllTransfers',
  'listReports',
  'listHeldFiles',
  'listBlockedContents',
  'listCoupons',
  'listAds',
];

const ADMINISTRATION: Record<string, LiveCall> = {
  ...Object.fromEntries(READ_ONLY.map((name) => [name, performAdminCalls])),
  lookUp: async ({ server }) => ({ caller: await server.signIn('ada'), query: { q: 'nothing' } }),
  reviewFiles: async ({ server }) => {
    const caller = await server.signIn('ada');
    const files = [{ path: 'a.txt', bytes: 'a' }];
    const { id } = await createReadyTransfer(server.context, { userId: server.userId('paula'), files });
    return { caller, query: { transferId: id } };
  },
  findRecipient: async ({ server }) => ({
    caller: await server.signIn('ada'),
    query: { email: 'nobody@example.com' },
  }),
  swallowBody: async ({ server }) => ({
    caller: await server.signIn('ada'),
    raw: { type: 'application/octet-stream', bytes: 'x'.repeat(1_000) },
  }),
  ...Object.fromEntries(
    namedEndpoints
      .filter((call) => routeOf(call) in ADMIN_CALLS)
      .map((call) => [call.name, (world: LiveWorld) => administer(world, routeOf(call))]),
  ),
};

export const EVERY_CALL: Record<string, LiveCall> = {
  ...ACCOUNT_CALLS,
  ...SENDING_CALLS,
  ...TRANSFER_CALLS,
  ...PAYING_CALLS,
  ...ADMINISTRATION,
  getHealth: () => ({}),
  getReadiness: () => ({}),
  getOpenApiDocument: () => ({}),
};

/** Makes all administrator calls but deletions, so that each list has an entry. */
async function performAdminCalls({ server }: LiveWorld): Promise<Wanted> {
  const caller = await server.signIn('ada');
  const routes = Object.keys(ADMIN_CALLS).filter((route) => !route.startsWith('DELETE '));
  for (const route of routes) await ADMIN_CALLS[route]!({ server, ada: caller });
  const body = JSON.stringify({ tier: 'premium' });
  const headers = { 'content-type': 'application/json' };
  await caller.fetch(`/api/admin/users/${server.userId('frida')}/tier`, { method: 'PUT', headers, body });
  return { caller };
}

async function administer({ server }: LiveWorld, route: string): Promise<Wanted> {
  const caller = await server.signIn('ada');
  const { form, ...wanted } = await ADMIN_CALLS[route]!({ server, ada: caller });
  return { caller, ...wanted, ...(form && { form: formOf(form) }) };
}
