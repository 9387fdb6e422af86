import { TOTP } from 'otpauth';
import { login, register } from '../../../contracts/accounts/accounts.ts';
import { createApiKey as createApiKeyCall } from '../../../contracts/accounts/api-keys.ts';
import { getBackgroundUrl } from '../../../contracts/accounts/backgrounds.ts';
import { requestPasswordReset } from '../../../contracts/accounts/password-reset.ts';
import { savePushSubscription } from '../../../contracts/accounts/push.ts';
import { createAccountInvitation } from '../../../contracts/accounts/registration.ts';
import { listSessions, updateProfile } from '../../../contracts/accounts/settings.ts';
import { beginPasskey, beginTotp } from '../../../contracts/accounts/sign-in/factors.ts';
import { requestSignInLink } from '../../../contracts/accounts/sign-in/link.ts';
import { beginPasskeySignIn } from '../../../contracts/accounts/sign-in/sign-in.ts';
import { beginLinkIdentity, listIdentities } from '../../../contracts/accounts/sign-in/single-sign-on.ts';
import { HOUR_MS } from '../../../contracts/values/durations.ts';
import { signUnsubscribe } from '../../../server/platform/mail/opt-outs.ts';
import { CAST, PASSWORD } from '../../cast.ts';
import { HostileProvider } from '../../identity/hostile-provider.ts';
import { addProvider, comeBack } from '../../identity/sso.ts';
import { createPushBrowser } from '../../push/push-service.ts';
import { paint, RED, setPicture } from '../../uploads/background-pictures.ts';
import { createApiKey } from '../api-keys.ts';
import { addAuthenticatorApp } from '../authenticator-app.ts';
import { mailedCode, mailedToken } from '../mailed-tokens.ts';
import { Authenticator, addPasskey } from '../passkeys.ts';
import { allowEmailSignIn } from '../sign-in-policy.ts';
import type { LiveCall, LiveWorld } from './live-world.ts';

const NORA = { name: 'Nora New', username: 'nora', email: 'nora@example.org', password: PASSWORD };

const { endpoint, keys } = createPushBrowser('https://93.184.216.34', 'live');
const PUSH = { endpoint, keys, events: ['ready' as const] };

export const ACCOUNT_CALLS: Record<string, LiveCall> = {
  getCurrentUser: () => ({}),
  login: () => ({ body: { username: CAST.prem.username, password: PASSWORD } }),
  register: () => ({ body: NORA }),
  findAccountInvitation: async ({ server }) => {
    const ada = await server.signIn('ada');
    await ada.call(createAccountInvitation, { body: { email: NORA.email } });
    return { body: { token: await mailedToken(server, 'account-invitation', NORA.email) } };
  },
  logout: ({ prem }) => ({ caller: prem }),
  verifyEmail: async (world) => ({
    caller: await registerNora(world),
    body: { code: await mailedCode(world.server, NORA.email) },
  }),
  sendVerificationCode: async (world) => {
    const caller = await registerNora(world);
    world.server.clock.advance(HOUR_MS / 2);
    return { caller };
  },
  getMonthlyUsage: () => ({}),
  updateProfile: () => ({ body: { name: 'Prem' } }),
  undoEmailChange: async ({ server, prem }) => {
    await prem.call(updateProfile, { body: { email: NORA.email, currentPassword: PASSWORD } });
    return { body: { token: await mailedToken(server, 'email-changed', CAST.prem.email) } };
  },
  secureAccount: async ({ server, prem }) => {
    await prem.call(createApiKeyCall, { body: { name: 'Backup' } });
    return { body: { token: await mailedToken(server, 'api-key-created', CAST.prem.email) } };
  },
  finishSignIn: async ({ server, prem }) => {
    const app = await addAuthenticatorApp(server, prem);
    const caller = server.anonymous();
    const body = { username: CAST.prem.username, password: PASSWORD };
    await caller.call(login, { body }).catch(() => {});
    return { caller, body: { method: 'totp', code: app.codeAt() } };
  },
  beginPasskeySignIn: ({ server }) => ({ caller: server.anonymous() }),
  signInByPasskey: async ({ server, prem }) => {
    const { authenticator } = await addPasskey(server, prem);
    const caller = server.anonymous();
    return { caller, body: { response: authenticator.get(await caller.call(beginPasskeySignIn)) } };
  },
  beginPasskeyFactor: async ({ server, prem }) => {
    await addPasskey(server, prem);
    const caller = server.anonymous();
    const body = { username: CAST.prem.username, password: PASSWORD };
    await caller.call(login, { body }).catch(() => {});
    return { caller };
  },
  beginPasskeyConfirmation: async ({ server, prem }) => {
    await addPasskey(server, prem);
    return {};
  },
  beginPasskey: () => ({}),
  addPasskey: async ({ server, prem }) => ({
    body: { response: new Authenticator(server).create(await prem.call(beginPasskey)) },
  }),
  renamePasskey: async (world) => ({ ...(await ofPasskey(world)), body: { name: 'Work laptop' } }),
  removePasskey: ofPasskey,
  reauthenticate: () => ({ body: { method: 'password', password: PASSWORD } }),
  listFactors: () => ({}),
  beginTotp: () => ({}),
  confirmTotp: async ({ server, prem }) => {
    const { secret } = await prem.call(beginTotp);
    return { body: { code: new TOTP({ secret }).generate({ timestamp: server.clock.now() }) } };
  },
  removeTotp: async ({ server, prem }) => {
    await addAuthenticatorApp(server, prem);
    return {};
  },
  renewRecoveryCodes: async ({ server, prem }) => {
    await addAuthenticatorApp(server, prem);
    return {};
  },
  listSignInProviders: () => ({}),
  beginSsoSignIn: async (world) => ({ body: { providerId: await signInProvider(world) } }),
  listIdentities: () => ({}),
  beginLinkIdentity: async (world) => ({ body: { providerId: await signInProvider(world) } }),
  beginSsoConfirmation: async (world) => ({ body: { identityId: await linkedIdentity(world) } }),
  unlinkIdentity: async (world) => ({ params: { id: await linkedIdentity(world) } }),
  getPreferences: () => ({}),
  updatePreferences: () => ({ body: { emailOnView: true } }),
  listSessions: () => ({}),
  listAccountEvents: () => ({}),
  requestSignInLink: async ({ server }) => {
    await allowEmailSignIn(server);
    return { body: { email: CAST.prem.email } };
  },
  signInByLink: async ({ server }) => {
    await allowEmailSignIn(server);
    await server.anonymous().call(requestSignInLink, { body: { email: CAST.prem.email } });
    await server.drainJobs();
    return { body: { token: await mailedToken(server, 'sign-in-link', CAST.prem.email) } };
  },
  endSession: async ({ server, prem }) => {
    await server.signIn('prem');
    const other = (await prem.call(listSessions)).find(({ isCurrent }) => !isCurrent)!;
    return { params: { id: other.id } };
  },
  signOutEverywhere: () => ({ body: { apiKeys: true, webhooks: true } }),
  deleteAccount: () => ({ body: { password: PASSWORD } }),
  listApiKeys: async (world) => {
    await ofKey(world);
    return {};
  },
  listPushSubscriptions: () => ({}),
  savePushSubscription: () => ({ body: PUSH }),
  deletePushSubscription: async ({ prem }) => ({
    params: { id: (await prem.call(savePushSubscription, { body: PUSH })).id },
  }),
  createApiKey: () => ({ body: { name: 'Backup', expiresAt: '2040-01-01T00:00:00Z' } }),
  updateApiKey: async (world) => ({ ...(await ofKey(world)), body: { name: 'Nightly', isActive: false } }),
  deleteApiKey: ofKey,
  requestPasswordReset: () => ({ body: { email: CAST.prem.email } }),
  confirmPasswordReset: async ({ server }) => {
    const { email } = CAST.prem;
    await server.anonymous().call(requestPasswordReset, { body: { email } });
    await server.drainJobs();
    return { body: { token: await mailedToken(server, 'password-reset', email), password: 'another one' } };
  },
  getMailSubscription: unsubscribeToken,
  unsubscribe: (world) => ({
    ...unsubscribeToken(world),
    raw: { type: 'application/x-www-form-urlencoded', bytes: 'List-Unsubscribe=One-Click' },
  }),
  resubscribe: unsubscribeToken,
  getBackgroundUrl: async (world) => {
    await setBackground(world);
    return {};
  },
  setBackground: async () => ({ form: formOf({ background: await paint(RED) }) }),
  removeBackground: async (world) => {
    await setBackground(world);
    return {};
  },
  getDownloadBackgroundUrl: async (world) => {
    await setBackground(world);
    return { params: { token: (await world.transfer()).token } };
  },
  showBackground: async (world) => {
    await setBackground(world);
    const { url } = await world.prem.call(getBackgroundUrl);
    return { params: { signature: url!.split('/').at(-1)! } };
  },
};

export function formOf(fields: Record<string, string | Buffer>): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) {
    if (typeof value === 'string') form.append(name, value);
    else form.append(name, new Blob([new Uint8Array(value)]), 'picture.png');
  }
  return form;
}

async function registerNora({ server }: LiveWorld) {
  const client = server.anonymous();
  await client.call(register, { body: NORA });
  return client;
}

async function ofPasskey({ server, prem }: LiveWorld) {
  return { params: { id: (await addPasskey(server, prem)).passkey.id } };
}

async function ofKey({ server }: LiveWorld) {
  return { params: { id: (await createApiKey(server.context, server.userId('prem'))).id } };
}

function unsubscribeToken({ server }: LiveWorld) {
  const token = signUnsubscribe(server.context, { email: 'rex@example.org', scope: 'transfers' });
  return { params: { token } };
}

async function setBackground({ prem }: LiveWorld): Promise<void> {
  await setPicture(prem, await paint(RED));
}

async function signInProvider({ server, t }: LiveWorld): Promise<string> {
  return (await addProvider(server, await HostileProvider.start(t))).id;
}

/** An identity that is linked to the account of prem. */
async function linkedIdentity({ server, t, prem }: LiveWorld): Promise<string> {
  const provider = await HostileProvider.start(t);
  const { id: providerId } = await addProvider(server, provider);
  const { url } = await prem.call(beginLinkIdentity, { body: { providerId } });
  await comeBack(prem, provider.authorize(url, { sub: 'prem-1' }));
  return (await prem.call(listIdentities))[0]!.id;
}
