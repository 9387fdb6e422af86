import { DAY_MS } from '../../contracts/values/durations.ts';
import { insertSession } from '../../server/features/accounts/sign-in/sessions/session-queries.ts';
import { newUser } from '../../server/features/accounts/users/users.ts';
import { hashToken, randomId } from '../../server/platform/lib/tokens.ts';
import type { TestServer } from '../test-context.ts';
import { Client } from './client.ts';

export type Guest = { userId: string; client: Client };

export async function inviteCrowd({ context, url }: TestServer, count: number): Promise<Guest[]> {
  const { db, clock } = context;
  const now = clock.now();
  const guests: Guest[] = [];
  for (let index = 0; index < count; index += 1) {
    const username = `guest${index}`;
    const person = { name: `Guest ${index}`, username, email: `${username}@example.org`, passwordHash: '-' };
    const user = newUser(person, { emailVerified: 1, isAdmin: 0, tier: 'free' }, now);
    await db.insertInto('users').values(user).execute();
    const [token, client] = [randomId(), new Client(url)];
    await insertSession(db, {
      id: randomId(),
      userId: user.id,
      tokenHash: hashToken(token),
      ipAddress: null,
      userAgent: null,
      createdAt: now,
      lastSeenAt: now,
      expiresAt: now + 30 * DAY_MS,
    });
    client.jar.add({ name: 'sendwell_session', value: token, path: '/' });
    guests.push({ userId: user.id, client });
  }
  return guests;
}
