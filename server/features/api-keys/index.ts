export { createKeyAuthenticator } from './authenticator.ts';
export { disableKeysOf, removeKeysOf } from './keys.ts';
