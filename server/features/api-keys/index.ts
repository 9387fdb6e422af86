export { createKeyAuthenticator } from './authenticator.ts';
export { deleteKeysOf, disableKeysOf } from './queries.ts';
