import type { UserRow } from '../../platform/db/schema.ts';
import { randomUserId } from '../../platform/lib/tokens.ts';

export type Person = { name: string; username: string; email: string; passwordHash: string };
type Standing = Pick<UserRow, 'emailVerified' | 'isAdmin' | 'tier'>;

/** The row of a new user. Names and addresses are unique without regard to case. */
export function newUser(person: Person, standing: Standing, now: number): UserRow {
  return {
    id: randomUserId(),
    ...person,
    usernameKey: person.username.toLowerCase(),
    emailKey: person.email.toLowerCase(),
    ...standing,
    paymentCustomerId: null,
    paymentSubscriptionId: null,
    backgroundStorageKey: null,
    backgroundFilename: null,
    backgroundMimeType: null,
    backgroundSizeBytes: null,
    backgroundSmallSizeBytes: null,
    createdAt: now,
    // Whoever creates an account for somebody else vouches for its address.
    registeredAt: standing.emailVerified ? null : now,
    deletedAt: null,
    isClaiming: 0,
    firstVerifiedAt: standing.emailVerified ? now : null,
  };
}
