import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';

export const UnsubscribeScope = z
  .enum(['transfers', 'download', 'view', 'expiry', 'reopen'])
  .describe(
    'The emails that an unsubscribe link ends: transfers sent to this address, or one kind of notification for senders.',
  );
export type UnsubscribeScope = z.infer<typeof UnsubscribeScope>;

const UnsubscribeParams = z.object({ token: z.string().min(1).max(1_000) });

export const getMailSubscription = defineEndpoint({
  method: 'GET',
  path: '/api/unsubscribe/:token',
  access: 'public',
  summary: 'What an unsubscribe link would end, and for which address',
  params: UnsubscribeParams,
  response: z.object({ email: z.string(), scope: UnsubscribeScope, isUnsubscribed: z.boolean() }),
});

export const unsubscribe = defineEndpoint({
  method: 'POST',
  path: '/api/unsubscribe/:token',
  access: 'public',
  summary: 'Unsubscribe from these emails',
  description: 'Also serves one-click unsubscribing (RFC 8058), for which mail programs post a form.',
  params: UnsubscribeParams,
  body: 'stream',
  response: 'empty',
});

export const resubscribe = defineEndpoint({
  method: 'DELETE',
  path: '/api/unsubscribe/:token',
  access: 'public',
  summary: 'Subscribe to these emails again',
  params: UnsubscribeParams,
  response: 'empty',
});
