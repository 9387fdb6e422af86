import { PICKUP_ALPHABET, pickUp } from '../../../contracts/transfers/downloads/pickup.ts';
import type { TestServer } from '../../../testing/test-context.ts';

/** A code that is none of the valid ones; another one for each `index`. */
export function findWrongCode(valid: string[], index: number): string {
  const last = PICKUP_ALPHABET[index % PICKUP_ALPHABET.length]!;
  const before = PICKUP_ALPHABET[Math.floor(index / PICKUP_ALPHABET.length)]!;
  const code = `BCDF${before}${last}`;
  return valid.includes(code) ? `ZZZZ${before}${last}` : code;
}

/** Enters a code as a proxy reports it from an address; returns the status. */
export async function enterFrom(
  server: TestServer,
  { address, code }: { address: string; code: string },
): Promise<number> {
  const response = await server.anonymous().fetch(pickUp.path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-forwarded-for': address },
    body: JSON.stringify({ code }),
  });
  await response.arrayBuffer();
  return response.status;
}
