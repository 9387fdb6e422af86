import { SESSION_MS } from '../../server/features/accounts/sign-in/sessions/cookies.ts';
import type { TestServer } from '../test-context.ts';

/** Renews all sessions, for tests in which more than 30 days pass. */
export async function renewSessions({
  context: { db },
  clock,
}: Pick<TestServer, 'context' | 'clock'>): Promise<void> {
  const now = clock.now();
  await db
    .updateTable('sessions')
    .set({ createdAt: now, lastSeenAt: now, authenticatedAt: now, expiresAt: now + SESSION_MS })
    .execute();
}
