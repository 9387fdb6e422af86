import { SESSION_MS } from '../../server/features/accounts/sign-in/cookies.ts';
import type { TestServer } from '../test-context.ts';

/** Makes all sessions as good as new, for tests that let more than 30 days pass and go on with the same clients. */
export async function renewSessions({
  context: { db },
  clock,
}: Pick<TestServer, 'context' | 'clock'>): Promise<void> {
  const now = clock.now();
  await db
    .updateTable('sessions')
    .set({ createdAt: now, lastSeenAt: now, expiresAt: now + SESSION_MS })
    .execute();
}
