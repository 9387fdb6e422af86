import type { KeyScope } from '../../contracts/endpoint.ts';
import type { Context } from '../../server/context.ts';
import { mintKey } from '../../server/features/api-keys/keys.ts';
import type { ApiKeyRow } from '../../server/platform/db/schema.ts';
import { randomId } from '../../server/platform/lib/tokens.ts';
import { Client } from './client.ts';

export type TestKey = {
  id: string;
  key: string;
  headers: { authorization: string };
};

export async function createApiKey(
  { db, clock }: Pick<Context, 'db' | 'clock'>,
  userId: string,
  scopes: KeyScope[] = ['read', 'write'],
  columns: Partial<Pick<ApiKeyRow, 'expiresAt' | 'isActive' | 'name'>> = {},
): Promise<TestKey> {
  const { key, keyHash, prefix } = mintKey();
  const id = randomId();
  await db
    .insertInto('apiKeys')
    .values({
      id,
      userId,
      name: 'Test key',
      keyHash,
      prefix,
      scopes: JSON.stringify(scopes),
      lastUsedAt: null,
      expiresAt: null,
      createdAt: clock.now(),
      ...columns,
    })
    .execute();
  return { id, key, headers: { authorization: `Bearer ${key}` } };
}

/** A client with an API key and no session. */
export function clientWithKey(
  { url }: { url: string },
  { key }: Pick<TestKey, 'key'>,
  headers: Record<string, string> = {},
): Client {
  return new KeyClient(url, { ...headers, authorization: `Bearer ${key}` });
}

class KeyClient extends Client {
  readonly #headers: Record<string, string>;

  constructor(url: string, headers: Record<string, string>) {
    super(url);
    this.#headers = headers;
  }

  override fetch(path: string, init: RequestInit & { duplex?: 'half' } = {}): Promise<Response> {
    const headers = new Headers(init.headers);
    for (const [name, value] of Object.entries(this.#headers)) headers.set(name, value);
    return super.fetch(path, { ...init, headers });
  }
}
