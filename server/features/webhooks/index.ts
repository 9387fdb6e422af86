export { findListeningOwner, recordEvent } from './events.ts';
export { deleteWebhooksOf } from './queries.ts';
export { disableWebhooksOf } from './webhooks.ts';
