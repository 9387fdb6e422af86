import { linkWithKey } from './key-link.ts';
import { type KeptKey, listKeys } from './key-ring.ts';

/** A key with what pages show of it. */
export type OwnKey = KeptKey & { linkTo(token: string): string };

export async function loadOwnKeys(owner: string): Promise<ReadonlyMap<string, OwnKey>> {
  const keys = await listKeys(owner);
  return new Map(
    keys.map((kept) => [kept.transferId, { ...kept, linkTo: (token) => linkWithKey(token, kept.key) }]),
  );
}
