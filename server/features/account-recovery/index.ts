export { disableAccess } from './recovery.ts';
