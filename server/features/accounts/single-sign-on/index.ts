/** For the admin area. */
export { redirectUriOf } from './flow/begin.ts';
export { postLogoutRedirectUriOf } from './logout.ts';
export {
  createProvider,
  deleteProvider,
  getForAdmins,
  listForAdmins,
  testProvider,
  updateProvider,
} from './providers/administration.ts';
export { lookUpRecord, recordLookUp } from './providers/domains.ts';
export { findProvider } from './providers/providers.ts';
