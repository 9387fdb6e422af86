import type { CurrentUser } from '../../../contracts/accounts/accounts.ts';

/** What the frame of the pages shows of a user; nothing secret. */
export type ShownUser = Pick<CurrentUser, 'username' | 'tier' | 'isAdmin'>;

const KEY = 'last-user';

/** The user who was signed in here last, until they sign out. The server decides whether they still are. */
export function readLastUser(): ShownUser | undefined {
  try {
    const stored = JSON.parse(localStorage.getItem(KEY) ?? 'null') as Partial<ShownUser> | null;
    if (typeof stored?.username !== 'string' || typeof stored.tier !== 'string') return undefined;
    return { username: stored.username, tier: stored.tier, isAdmin: stored.isAdmin === true };
  } catch {
    // Storage may be disabled.
    return undefined;
  }
}

/** Users who must verify their address first see no frame, so they are not kept. */
export function keepLastUser(user: CurrentUser | null | undefined): void {
  try {
    if (user?.emailVerified) {
      const { username, tier, isAdmin } = user;
      localStorage.setItem(KEY, JSON.stringify({ username, tier, isAdmin }));
    } else localStorage.removeItem(KEY);
  } catch {
    // The frame then waits for the server.
  }
}
