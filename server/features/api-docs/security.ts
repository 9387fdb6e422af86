import { API_KEY_MARK } from '../../../contracts/accounts/api-keys.ts';
import { STEP_UP_MINUTES } from '../../../contracts/accounts/sign-in/sign-in.ts';
import { type Endpoint, isForAdmins, keyScopeOf, needsStepUp } from '../../../contracts/endpoint.ts';
import { isHttps, secureCookieName } from '../../platform/http/security/secure-cookies.ts';

/** On HTTPS, cookie names begin with `__Host-`, or with `__Secure-` if they have a path. */
export function describeSecurity(publicUrl: string): object {
  const prefix = isHttps(publicUrl) ? '__Host-' : '';
  return {
    apiKey: {
      type: 'http',
      scheme: 'bearer',
      bearerFormat: `${API_KEY_MARK}…`,
      description:
        'An API key of a Pro or Premium account, created in Settings. Each call says which scope it needs (`read` or `write`).',
    },
    session: {
      type: 'apiKey',
      in: 'cookie',
      name: `${prefix}sendwell_session`,
      description: 'The session of a signed-in person. Set by `login`.',
    },
    pending: {
      type: 'apiKey',
      in: 'cookie',
      name: `${prefix}sendwell_pending`,
      description: 'Set by `register` for an hour, until the email address is verified.',
    },
    visitor: {
      type: 'apiKey',
      in: 'cookie',
      name: secureCookieName({ publicUrl }, 'visitor-INVITATION_ID'),
      description:
        'Lets a visitor upload to one invitation for an hour. Set by `verifyInvitationCode`; its name ends with the invitation’s id. Calls that use it send the invitation’s token as `invitationToken`.',
    },
  };
}

type Requirement = Record<string, string[]>;

/** Any one of these credentials is enough; empty for a public call. */
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

export function accessSentence(endpoint: Endpoint): string {
  const scope = keyScopeOf(endpoint);
  if (endpoint.access === 'public') return 'Public.';
  const recently = needsStepUp(endpoint.access)
    ? ` Needs a sign-in or \`POST /api/reauthenticate\` of the last ${STEP_UP_MINUTES} minutes.`
    : '';
  if (isForAdmins(endpoint.access)) return `For signed-in administrators.${recently}`;
  if (scope === 'none') return `Requires a signed-in person; API keys cannot make this call.${recently}`;
  const visitors = endpoint.access === 'uploader' ? ' Visitors of an invitation can call it too.' : '';
  const people = recently && ` For signed-in people:${recently}`;
  return `Accepts API keys with the scope \`${scope}\`.${visitors}${people}`;
}
