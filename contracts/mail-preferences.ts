import { z } from 'zod';
import { defineEndpoint } from './endpoint.ts';

/** What a link at the foot of a mail ends: transfer mails to this address, or one of the sender's notices. */
export const UnsubscribeScope = z.enum(['transfers', 'download', 'view', 'expiry']);
export type UnsubscribeScope = z.infer<typeof UnsubscribeScope>;

const UnsubscribeParams = z.object({ token: z.string().min(1).max(1_000) });

export const getMailSubscription = defineEndpoint({
  method: 'GET',
  path: '/api/unsubscribe/:token',
  access: 'public',
  summary: 'What the link of a mail would end, and for which address',
  params: UnsubscribeParams,
  response: z.object({ email: z.string(), scope: UnsubscribeScope, isUnsubscribed: z.boolean() }),
});

/** Also the one-click address of RFC 8058, which mail programs call with a form body. */
export const unsubscribe = defineEndpoint({
  method: 'POST',
  path: '/api/unsubscribe/:token',
  access: 'public',
  summary: 'End these mails',
  params: UnsubscribeParams,
  body: 'stream',
  response: 'empty',
});

export const resubscribe = defineEndpoint({
  method: 'DELETE',
  path: '/api/unsubscribe/:token',
  access: 'public',
  summary: 'Take these mails again',
  params: UnsubscribeParams,
  response: 'empty',
});
