export { disableAccess } from './disabled-access.ts';
