import type { ServerResponse } from 'node:http';
import { MIB } from '../../../../../contracts/values/sizes.ts';
import { KEY_ID, sendJson, type Tampering } from '../../../../../testing/identity/hostile-provider.ts';
import { type Case, type Cases, fail, redirectTo, send } from './case.ts';

const tokenEndpoint = (answer: (response: ServerResponse) => void): Case => ({
  tampering: { tokenEndpoint: answer },
});
const keys = (published: (list: unknown[]) => unknown): Case => ({ tampering: { keys: published } });
/** What the provider answers to the server. */
export const ENDPOINTS: Cases = {
  'token endpoint fails': ['unreachable', tokenEndpoint(fail(500))],
  'token endpoint breaks off': ['unreachable', tokenEndpoint((response) => response.destroy())],
  'token endpoint never answers': ['unreachable', tokenEndpoint(() => undefined)],
  'token endpoint refuses the client': [
    'unverifiable',
    tokenEndpoint((response) => sendJson(response, { error: 'invalid_client' }, 401)),
  ],
  'token endpoint answers with a page': ['unverifiable', tokenEndpoint(send('<h1>Welcome</h1>'))],
  'token endpoint answers with 10 MB': [
    'unverifiable',
    tokenEndpoint(send(JSON.stringify({ access_token: 'x'.repeat(10 * MIB) }), 'application/json')),
  ],
  'token endpoint redirects': ['unverifiable', tokenEndpoint(redirectTo('http://evil.example/'))],
  'token endpoint answers without an access token': [
    'unverifiable',
    tokenEndpoint((response) => sendJson(response, { token_type: 'Bearer', id_token: 'x.y.z' })),
  ],
  'token endpoint answers with a list': ['unverifiable', tokenEndpoint((response) => sendJson(response, []))],
  'no keys': ['unverifiable', keys(() => ({ keys: [] }))],
  'keys as text': ['unverifiable', keys(() => 'nonsense')],
  'keys of 10 MB': ['unverifiable', keys((list) => ({ keys: list, filler: 'x'.repeat(10 * MIB) }))],
  'only a symmetric key': [
    'unverifiable',
    keys(() => ({ keys: [{ kty: 'oct', kid: KEY_ID, k: 'c2VjcmV0' }] })),
  ],
  'two keys with one ID': ['unverifiable', keys((list) => ({ keys: [...list, ...list] }))],
  'a key for encryption': [
    'unverifiable',
    keys((list) => ({ keys: list.map((key) => ({ ...(key as object), use: 'enc' })) })),
  ],
  'userinfo of another subject': [
    'unverifiable',
    {
      tampering: {
        claims: ({ email, email_verified, ...right }) => right,
        userinfo: (right) => ({ ...right, sub: 'somebody else' }),
      },
    },
  ],
  'userinfo without a subject': [
    'unverifiable',
    {
      tampering: {
        claims: ({ email, email_verified, ...right }) => right,
        userinfo: ({ sub, ...right }) => right,
      },
    },
  ],
};

/** These cannot even begin. */
export const DISCOVERY: Record<string, Tampering> = {
  'issuer of somebody else': { discovery: (document) => ({ ...document, issuer: 'https://evil.example' }) },
  'issuer with a slash at the end': {
    discovery: (document) => ({ ...document, issuer: `${document.issuer}/` }),
  },
  'no issuer': { discovery: ({ issuer, ...document }) => document },
  'no keys': { discovery: ({ jwks_uri, ...document }) => document },
  'no token endpoint': { discovery: ({ token_endpoint, ...document }) => document },
  'a script as the address to sign in': {
    discovery: (document) => ({ ...document, authorization_endpoint: 'javascript:alert(1)' }),
  },
  'only symmetric signatures': {
    discovery: (document) => ({ ...document, id_token_signing_alg_values_supported: ['HS256', 'none'] }),
  },
  'no code flow': { discovery: (document) => ({ ...document, response_types_supported: ['id_token'] }) },
  'an error': { discoveryEndpoint: fail(500) },
  'a page': { discoveryEndpoint: send('<h1>Welcome</h1>') },
  'a redirect': { discoveryEndpoint: redirectTo('http://evil.example/') },
  '10 MB': { discoveryEndpoint: send(JSON.stringify({ issuer: 'x'.repeat(10 * MIB) }), 'application/json') },
  'no answer': { discoveryEndpoint: (response) => response.destroy() },
};
