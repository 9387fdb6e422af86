import { createAccountInvitation } from '../../contracts/accounts/registration.ts';
import { createIdentityProvider } from '../../contracts/admin/identity-providers.ts';
import { blockContent } from '../../contracts/admin/scanning.ts';
import { DEFAULT_TIER_CONFIG } from '../../contracts/plans/tiers.ts';
import { DAY_MS } from '../../contracts/values/durations.ts';
import type { Context } from '../../server/context.ts';
import { recordStop } from '../../server/features/uploads/sweep/orphans.ts';
import { findSweepStop } from '../../server/features/uploads/sweep/records.ts';
import { randomId } from '../../server/platform/lib/tokens.ts';
import { CAST, PASSWORD } from '../cast.ts';
import { createReadyTransfer } from '../factories.ts';
import { createCoupon } from '../payments/coupons.ts';
import type { TestServer } from '../test-context.ts';
import { sha256 as sha256Of } from '../uploads/send-transfer.ts';
import { putAd } from './ads.ts';
import { addAuthenticatorApp } from './authenticator-app.ts';
import type { Client } from './client.ts';

/** The input with which a call succeeds. `form` is sent as multipart form data. */
export type Wanted = { params?: Record<string, string>; body?: object; form?: Record<string, string> };

type World = { server: TestServer; ada: Client };

/** For each administrator call that changes something: creates its subject and returns the input. */
export const ADMIN_CALLS: Record<string, (world: World) => Promise<Wanted>> = {
  'POST /api/admin/users': async () => ({
    body: { username: 'nora', email: 'nora@example.org', password: PASSWORD, tier: 'pro', isAdmin: false },
  }),
  'DELETE /api/admin/users/:id': async (world) => ({ params: frida(world) }),
  'PUT /api/admin/users/:id/admin': async (world) => ({ params: frida(world), body: { isAdmin: true } }),
  'PUT /api/admin/users/:id/reset-password': async (world) => ({
    params: frida(world),
    body: { password: 'another password' },
  }),
  'POST /api/admin/users/:id/sign-out': async (world) => ({
    params: frida(world),
    body: { apiKeys: true, webhooks: true },
  }),
  'DELETE /api/admin/users/:id/second-factor': async ({ server }) => {
    await addAuthenticatorApp(server, await server.signIn('frida'));
    return { params: { id: server.userId('frida') } };
  },
  'PUT /api/admin/users/:id/tier': async (world) => ({ params: frida(world), body: { tier: 'premium' } }),
  'DELETE /api/admin/transfers/:id': async (world) => ({ params: await transfer(world) }),
  'PUT /api/admin/transfers/:id/extend': async (world) => ({
    params: await transfer(world),
    body: { days: 7 },
  }),
  'PUT /api/admin/transfers/:id/taken-down': async (world) => ({
    params: await transfer(world),
    body: { isTakenDown: true },
  }),
  'POST /api/admin/transfers/batch-delete': async (world) => ({
    body: { transferIds: [(await transfer(world)).id] },
  }),
  'POST /api/admin/transfers/batch-extend': async (world) => ({
    body: { transferIds: [(await transfer(world)).id], days: 7 },
  }),
  'POST /api/admin/reports/:id/settle': async (world) => ({
    params: await report(world),
    body: { verdict: 'take-down' },
  }),
  'POST /api/admin/held-files/:id/release': async (world) => ({
    params: await heldFile(world),
    body: { reason: 'False alarm' },
  }),
  'POST /api/admin/blocked-contents': async (world) => ({
    body: { fileId: (await checkedFile(world)).id, reason: 'Reported as malware' },
  }),
  'DELETE /api/admin/blocked-contents/:id': async (world) => ({ params: await blockedContent(world) }),
  'PUT /api/admin/sign-in-policy': async () => ({
    body: {
      passwordMinLength: 10,
      secondFactor: 'optional',
      emailSignIn: true,
      sessionDays: 7,
      sessionsPerUser: 5,
    },
  }),
  'POST /api/admin/identity-providers': async () => ({ body: newProvider() }),
  'PATCH /api/admin/identity-providers/:id': async ({ ada }) => ({
    params: await identityProvider(ada),
    body: {
      name: 'Other',
      clientId: randomId(),
      clientSecret: 'another secret',
      domains: ['example.net'],
      mayCreateAccounts: true,
      isRequiredForDomains: true,
      trustsSecondFactor: true,
      isEnabled: false,
    },
  }),
  'DELETE /api/admin/identity-providers/:id': async ({ ada }) => ({ params: await identityProvider(ada) }),
  'POST /api/admin/identity-providers/test': async () => ({ body: { issuer: NO_PROVIDER } }),
  'POST /api/admin/identity-providers/:id/domains/check': async ({ ada }) => ({
    params: await identityProvider(ada),
    body: { domain: 'example.org' },
  }),
  'PUT /api/admin/registration': async () => ({
    body: { mode: 'domains', domains: ['example.org'], visitorDomains: [] },
  }),
  'POST /api/admin/account-invitations': async () => ({ body: { email: 'nora@example.org' } }),
  'POST /api/admin/account-invitations/:id/resend': async ({ ada }) => ({ params: await invitation(ada) }),
  'DELETE /api/admin/account-invitations/:id': async ({ ada }) => ({ params: await invitation(ada) }),
  'POST /api/admin/coupons': async () => ({
    body: {
      code: 'NEW',
      tier: 'pro',
      discountPercent: 50,
      freeMonths: 1,
      maxUses: 3,
      expiresAt: '2040-01-01T00:00:00Z',
    },
  }),
  'DELETE /api/admin/coupons/:id': async ({ server }) => ({
    params: { id: (await createCoupon(server.context, { code: 'OLD' })).id },
  }),
  'PUT /api/admin/tier-config': async () => ({ body: DEFAULT_TIER_CONFIG }),
  'POST /api/admin/safety/clock': async ({ server }) => ({ body: await clockStop(server) }),
  'POST /api/admin/safety/sweep': async ({ server }) => ({ body: await sweepStop(server.context) }),
  'POST /api/admin/mails/:id/retry': async ({ server }) => ({ params: await failedMail(server.context) }),
  'POST /api/admin/jobs/:id/retry': async ({ server }) => ({ params: await failedJob(server.context) }),
  'POST /api/admin/ads': async () => ({ form: AD }),
  'PUT /api/admin/ads/:id': async ({ ada }) => ({ params: await ad(ada), form: { ...AD, title: 'Other' } }),
  'PUT /api/admin/ads/:id/active': async ({ ada }) => ({ params: await ad(ada), body: { isActive: false } }),
  'DELETE /api/admin/ads/:id': async ({ ada }) => ({ params: await ad(ada) }),
};

/** Nothing listens there. */
const NO_PROVIDER = 'http://127.0.0.1:9';

/** The client ID differs each time, because an issuer and client ID belong to one provider. */
const newProvider = () => ({
  issuer: NO_PROVIDER,
  clientId: randomId(),
  clientSecret: 'a secret',
  name: 'Example ID',
  domains: ['example.org'],
  mayCreateAccounts: false,
  isRequiredForDomains: false,
  trustsSecondFactor: false,
  isEnabled: true,
});

async function identityProvider(ada: Client): Promise<{ id: string }> {
  const { id } = await ada.call(createIdentityProvider, { body: newProvider() });
  return { id };
}

const AD = { type: 'image', title: 'Ad', url: 'https://ads.example' };

const frida = ({ server }: World) => ({ id: server.userId('frida') });
async function invitation(ada: Client): Promise<{ id: string }> {
  const { id } = await ada.call(createAccountInvitation, { body: { email: 'nora@example.org' } });
  return { id };
}

const ad = async (ada: Client) => ({ id: (await putAd(ada, AD)).id });

async function transfer({ server }: World): Promise<{ id: string }> {
  const files = [{ path: 'a.txt', bytes: 'a' }];
  const { id } = await createReadyTransfer(server.context, { userId: server.userId('paula'), files });
  return { id };
}

/** Creates a file with a known SHA-256 and different content each time. */
async function checkedFile({ server }: World): Promise<{ id: string; transferId: string; sha256: string }> {
  const bytes = randomId();
  const files = [{ path: 'a.txt', bytes }];
  const transfer = await createReadyTransfer(server.context, { userId: server.userId('paula'), files });
  const { id, transferId } = transfer.files[0]!;
  const sha256 = sha256Of(Buffer.from(bytes));
  await server.context.db.updateTable('files').set({ sha256, checkedAt: 1 }).where('id', '=', id).execute();
  return { id, transferId, sha256 };
}

async function heldFile(world: World): Promise<{ id: string }> {
  const { db, clock } = world.server.context;
  const { id, transferId, sha256 } = await checkedFile(world);
  const now = clock.now();
  const about = { fileId: id, transferId, userId: world.server.userId('paula'), createdAt: now };
  const found = { state: 'infected' as const, finding: 'Eicar-Signature', sha256, foundAt: now };
  await db
    .insertInto('heldFiles')
    .values({ ...about, ...found })
    .execute();
  await db.updateTable('transfers').set({ scanState: 'blocked' }).where('id', '=', transferId).execute();
  return { id };
}

async function blockedContent(world: World): Promise<{ id: string }> {
  const { id: fileId } = await checkedFile(world);
  const { id } = await world.ada.call(blockContent, { body: { fileId, reason: 'Reported as malware' } });
  return { id };
}

async function report(world: World): Promise<{ id: string }> {
  const { db, clock } = world.server.context;
  const row = { id: randomId(), transferId: (await transfer(world)).id, reason: 'malware' };
  const about = { details: null, reporterEmail: null, ipAddress: null, createdAt: clock.now() };
  await db
    .insertInto('abuseReports')
    .values({ ...row, ...about, settledAt: null })
    .execute();
  return { id: row.id };
}

/** Sets the clock back rather than ahead, so that no session ends. */
async function clockStop({ context, clock }: TestServer): Promise<{ id: string }> {
  await context.clockGuard.check();
  clock.jump(-2 * DAY_MS);
  return { id: (await context.clockGuard.check()).stop!.id };
}

async function sweepStop(context: Context): Promise<{ id: string }> {
  const now = context.clock.now();
  const found = { orphans: 12, bytes: 24, blobs: 12, sample: ['k'.repeat(20)] };
  await recordStop(context, { old: undefined, found, olderThan: now, now });
  return { id: (await findSweepStop(context))!.id };
}

async function failedMail({ db, clock }: Context): Promise<{ id: string }> {
  const id = randomId();
  const mail = { subject: 'Subject', text: 'Text', html: '<p>Text</p>', recipient: CAST.frida.email };
  await db
    .insertInto('mails')
    .values({ id, kind: 'welcome', ...mail, state: 'failed', createdAt: clock.now(), lastError: '550' })
    .execute();
  return { id };
}

async function failedJob({ db, clock }: Context): Promise<{ id: string }> {
  const [id, now] = [randomId(), clock.now()];
  await db
    .insertInto('jobs')
    .values({
      id,
      name: 'accounts.remove-expired',
      payload: '{}',
      runAt: now,
      createdAt: now,
      failedAt: now,
      lastError: 'It failed.',
    })
    .execute();
  return { id };
}
