import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';
import { Id, Instant } from '../values/fields.ts';

/** In the order in which they occur. */
export const PUSH_EVENTS = ['ready', 'first-download', 'download', 'received', 'expired', 'damaged'] as const;
export type PushEvent = (typeof PUSH_EVENTS)[number];

/** Browsers of one account. */
export const MAX_PUSH_SUBSCRIPTIONS = 20;
const ENDPOINT_MAX = 1_000;

const KEY_PATTERN = /^[A-Za-z0-9_-]+={0,2}$/;

const Events = z
  .array(z.enum(PUSH_EVENTS))
  .min(1, 'Please choose at least one event')
  .transform((events) => PUSH_EVENTS.filter((event) => events.includes(event)));

export const PushSubscriptionInput = z.strictObject({
  endpoint: z
    .url({ protocol: /^https?$/ })
    .max(ENDPOINT_MAX)
    .describe('The address of this browser at its push service (RFC 8030).'),
  keys: z
    .strictObject({
      p256dh: z.string().regex(KEY_PATTERN).max(120),
      auth: z.string().regex(KEY_PATTERN).max(40),
    })
    .describe('Base64url, as `PushSubscription.toJSON()` has them (RFC 8291).'),
  events: Events,
});
export type PushSubscriptionInput = z.infer<typeof PushSubscriptionInput>;

export const PushSubscription = z.object({
  id: z.string(),
  endpointHash: z.string().describe('SHA-256 of the endpoint, Base64url, so that a browser finds its own.'),
  service: z.string().describe('The host of the push service.'),
  events: z.array(z.enum(PUSH_EVENTS)),
  createdAt: Instant,
});
export type PushSubscription = z.infer<typeof PushSubscription>;

export const listPushSubscriptions = defineEndpoint({
  method: 'GET',
  path: '/api/push/subscriptions',
  access: 'signed-in',
  keyScope: 'none',
  summary: 'The browsers that get push notifications, and the public key for another one',
  response: z.object({
    publicKey: z.string().describe('The `applicationServerKey` (VAPID, RFC 8292), Base64url.'),
    subscriptions: z.array(PushSubscription),
  }),
});

export const savePushSubscription = defineEndpoint({
  method: 'POST',
  path: '/api/push/subscriptions',
  access: 'signed-in',
  keyScope: 'none',
  summary: 'Send push notifications to this browser, or change for which events',
  description:
    'Ends with the session that made this call, and when the push service no longer knows the browser.',
  body: PushSubscriptionInput,
  response: PushSubscription,
});

export const deletePushSubscription = defineEndpoint({
  method: 'DELETE',
  path: '/api/push/subscriptions/:id',
  access: 'signed-in',
  keyScope: 'none',
  summary: 'End the push notifications of a browser',
  params: z.object({ id: Id }),
  response: 'empty',
});
