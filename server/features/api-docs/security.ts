import { API_KEY_MARK } from '../../../contracts/api-keys.ts';
import { type Endpoint, keyScopeOf } from '../../../contracts/endpoint.ts';
import { isHttps, secureCookieName } from '../../platform/http/secure-cookies.ts';

/** On https the cookies' names begin with `__Host-` or, where they have a path, `__Secure-`. */
export function describeSecurity(publicUrl: string): object {
  const prefix = isHttps(publicUrl) ? '__Host-' : '';
  return {
    apiKey: {
      type: 'http',
      scheme: 'bearer',
      bearerFormat: `${API_KEY_MARK}…`,
      description:
        'An API key of a pro or premium account, made in Settings. What it must be allowed (`read`, `write`) stands at each call.',
    },
    session: {
      type: 'apiKey',
      in: 'cookie',
      name: `${prefix}sendwell_session`,
      description: 'The session of a signed-in person, set by `login`.',
    },
    pending: {
      type: 'apiKey',
      in: 'cookie',
      name: `${prefix}sendwell_pending`,
      description: 'Set by `register` for an hour, until the address is verified.',
    },
    visitor: {
      type: 'apiKey',
      in: 'cookie',
      name: secureCookieName({ publicUrl }, 'visitor-INVITATION_ID'),
      description:
        'A visitor’s right to upload to one invitation, set by `verifyInvitationCode` for an hour; its name ends with the invitation’s id. Such a call names the invitation’s token in `invitationToken`.',
    },
  };
}

type Requirement = Record<string, string[]>;

/** The ways to be let in, any of which is enough; none for a public call. */
export function securityOf(endpoint: Endpoint): Requirement[] {
  const scope = keyScopeOf(endpoint);
  if (endpoint.access === 'public') return [];
  return [
    ...(scope === 'none' ? [] : [{ apiKey: [scope] }]),
    { session: [] },
    ...(endpoint.access === 'pending' ? [{ pending: [] }] : []),
    ...(endpoint.access === 'uploader' ? [{ visitor: [] }] : []),
  ];
}

/** Who may call, in a sentence. */
export function accessSentence(endpoint: Endpoint): string {
  const scope = keyScopeOf(endpoint);
  if (endpoint.access === 'public') return 'Public.';
  if (endpoint.access === 'admin') return 'For signed-in administrators.';
  if (scope === 'none') return 'For signed-in people only: no API key may make this call.';
  const visitors = endpoint.access === 'uploader' ? ' Also for a visitor of an invitation.' : '';
  return `Takes an API key with the scope \`${scope}\`.${visitors}`;
}
