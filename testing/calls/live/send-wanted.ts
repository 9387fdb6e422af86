import type { NamedEndpoint } from '../../../contracts/all-endpoints.ts';
import { keyScopeOf } from '../../../contracts/endpoint.ts';
import type { LiveWorld, Wanted } from './live-world.ts';

/**
 * Makes the call, with an API key if the call accepts one, because those responses are the documented ones. `method`
 * overrides that of the call.
 */
export async function sendWanted(
  world: LiveWorld,
  { endpoint }: NamedEndpoint,
  wanted: Wanted,
  method: string = endpoint.method,
): Promise<Response> {
  const { caller, params, query, body, form, raw } = wanted;
  const takesKey = endpoint.access !== 'public' && keyScopeOf(endpoint) !== 'none';
  const client = caller ?? (takesKey || endpoint.access === 'public' ? world.server.anonymous() : world.prem);
  const byKey = takesKey && !caller ? (await world.key()).headers : {};
  const type = body ? 'application/json' : raw?.type;
  return client.fetch(addressOf(endpoint.path, params) + (query ? `?${new URLSearchParams(query)}` : ''), {
    method,
    headers: {
      accept: 'application/json',
      ...(type && { 'content-type': type }),
      ...byKey,
      ...wanted.headers,
    },
    ...(body && { body: JSON.stringify(body) }),
    ...(form && { body: form }),
    ...(raw && { body: raw.bytes }),
  });
}

export function addressOf(path: string, params: Record<string, string> = {}): string {
  return path.replace(/:(\w+)/g, (_place, name: string) => params[name] ?? '0'.repeat(26));
}
