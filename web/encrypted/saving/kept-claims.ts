import type { Claim } from './reading/range-source.ts';

const KEY = 'encrypted-claims';

/**
 * Counted downloads of this tab that did not end well. Another attempt continues them instead of using up another
 * download.
 */
export function findClaim(downloadPath: string): Claim | undefined {
  return read()[downloadPath];
}

export function keepClaim(downloadPath: string, claim: Claim | undefined): void {
  const { [downloadPath]: _old, ...others } = read();
  write(claim ? { ...others, [downloadPath]: claim } : others);
}

/** Whether any download of the transfer can be continued. */
export function hasClaim(token: string): boolean {
  return Object.keys(read()).some((downloadPath) => downloadPath.includes(token));
}

function read(): Record<string, Claim> {
  try {
    return JSON.parse(sessionStorage.getItem(KEY) ?? '{}') as Record<string, Claim>;
  } catch {
    return {};
  }
}

/** Storage may be disabled: the next attempt then counts again. */
function write(claims: Record<string, Claim>): void {
  try {
    sessionStorage.setItem(KEY, JSON.stringify(claims));
  } catch {}
}
