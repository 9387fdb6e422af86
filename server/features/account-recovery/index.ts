export { disableAccess } from './recovery.ts';
export { signOutEverywhere } from './sign-out.ts';
