import { getAdFileUrl } from '../../../contracts/plans/ads.ts';
import { cancelSubscription, createSubscription } from '../../../contracts/plans/billing.ts';
import { DAY_MS } from '../../../contracts/values/durations.ts';
import { createCoupon } from '../../payments/coupons.ts';
import { LATER_DECLINED_CARD, subscribe } from '../../payments/demo-payments.ts';
import { acceptEvents } from '../../payments/subscriptions.ts';
import { paint, RED } from '../../uploads/background-pictures.ts';
import { sendTransfer } from '../../uploads/send-transfer.ts';
import { putAd } from '../ads.ts';
import { renewSessions } from '../renewed-sessions.ts';
import type { LiveCall, LiveWorld } from './live-world.ts';

export const PAYING_CALLS: Record<string, LiveCall> = {
  getTierConfig: () => ({}),
  getSite: () => ({}),
  getSubscription: ofSubscriber,
  createSubscription: async ({ server }) => ({ caller: await server.signIn('frida'), body: { tier: 'pro' } }),
  changeSubscription: async (world) => ({ ...(await ofSubscriber(world)), body: { tier: 'pro' } }),
  cancelSubscription: ofSubscriber,
  resumeSubscription: async (world) => {
    const { caller } = await ofSubscriber(world);
    await caller.call(cancelSubscription);
    return { caller };
  },
  payOpenInvoice: async ({ server }) => {
    const caller = await server.signIn('frida');
    await subscribe(caller, { tier: 'pro' }, LATER_DECLINED_CARD);
    server.clock.advance(31 * DAY_MS);
    await renewSessions(server);
    await (await caller.fetch('/api/subscription')).arrayBuffer();
    return { caller };
  },
  listInvoices: ofSubscriber,
  checkCoupon: async ({ server }) => {
    await createCoupon(server.context);
    return { caller: await server.signIn('frida'), body: { code: 'half', tier: 'pro' } };
  },
  confirmDemoPayment: async ({ server }) => {
    const caller = await server.signIn('frida');
    const { clientSecret } = await caller.call(createSubscription, { body: { tier: 'pro' } });
    const card = { cardNumber: '4242 4242 4242 4242', expiry: '12/39', cvc: '123' };
    return { caller, body: { clientSecret, ...card } };
  },
  paymentWebhook: async ({ server }) => {
    acceptEvents(server);
    const event = { id: 'evt_1', type: 'test', createdAt: server.clock.now(), subscriptionId: null };
    const bytes = JSON.stringify({ ...event, customerId: null, paymentId: null });
    return { raw: { type: 'application/json', bytes } };
  },
  listActiveAds: async (world) => {
    const { caller } = await ofAd(world);
    await sendTransfer(caller, [{ fileName: 'note.txt', bytes: Buffer.from('note') }]);
    return { caller };
  },
  getAdFileUrl: ofAd,
  showAdFile: async (world) => {
    const { caller, params } = await ofAd(world);
    const { url } = await caller.call(getAdFileUrl, { params });
    return { params: { signature: url.split('/').at(-1)! } };
  },
  recordAdEvent: async (world) => ({ ...(await ofAd(world)), body: { event: 'click' } }),
};

async function ofSubscriber({ server }: LiveWorld) {
  const caller = await server.signIn('frida');
  await subscribe(caller, { tier: 'premium' });
  return { caller };
}

async function ofAd({ server }: LiveWorld) {
  const file = { bytes: await paint(RED) };
  const { id } = await putAd(await server.signIn('ada'), { type: 'image', title: 'Ad' }, { file });
  return { caller: await server.signIn('frida'), params: { id } };
}
