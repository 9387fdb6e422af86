export { findListeningOwner, noteEvent } from './events.ts';
export { disableWebhooksOf, removeWebhooksOf } from './webhooks.ts';
