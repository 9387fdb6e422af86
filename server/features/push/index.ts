export { enqueuePushes, findPushReceivers } from './events.ts';
