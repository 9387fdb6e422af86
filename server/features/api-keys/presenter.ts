import type { ApiKey } from '../../../contracts/accounts/api-keys.ts';
import type { KeyScope } from '../../../contracts/endpoint.ts';
import type { ApiKeyRow } from '../../platform/db/schema.ts';
import { toIso, toIsoOrNull } from '../../platform/lib/clock.ts';

export function presentKey(row: ApiKeyRow): ApiKey {
  const { id, name, prefix, scopes, isActive, lastUsedAt, expiresAt, createdAt, ...rest } = row;
  return {
    id,
    name,
    prefix,
    scopes: readScopes(scopes),
    lastUsedAt: toIsoOrNull(lastUsedAt),
    expiresAt: toIsoOrNull(expiresAt),
    isActive: isActive === 1,
    disabledReason: isActive === 1 ? null : rest.recoveryReason,
    disabledAt: isActive === 1 ? null : toIsoOrNull(rest.disabledAt),
    createdAt: toIso(createdAt),
  };
}

export function readScopes(stored: string): KeyScope[] {
  return JSON.parse(stored) as KeyScope[];
}
