export { findListeningOwner, recordEvent } from './events.ts';
export { describeEvent } from './formats/message.ts';
export { deleteWebhooksOf } from './queries.ts';
export { disableWebhooksOf } from './webhooks.ts';
