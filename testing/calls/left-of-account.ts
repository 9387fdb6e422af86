import { deleteAccount } from '../../contracts/accounts/settings.ts';
import { MINUTE_MS } from '../../contracts/values/durations.ts';
import type { Database } from '../../server/platform/db/schema.ts';
import { type CastName, PASSWORD } from '../cast.ts';
import type { TestServer } from '../test-context.ts';
import type { Client } from './client.ts';

/** Tables with a user id. */
const OF_USERS = [
  'sessions',
  'emailVerificationCodes',
  'passwordResets',
  'emailChanges',
  'accountAlerts',
  'accountEvents',
  'passkeys',
  'externalIdentities',
  'recoveryCodes',
  'signInAttempts',
  'totpSecrets',
  'userPreferences',
  'apiKeys',
  'idempotencyKeys',
  'transfers',
  'uploads',
  'monthlyUsage',
  'webhooks',
  'pushSubscriptions',
] as const satisfies (keyof Database)[];

export const removeAccount = (client: Client, password = PASSWORD) =>
  client.call(deleteAccount, { body: { password } });

/** The number of rows of a user by table, without tables that have none. */
export async function countRows(
  { context, userId }: TestServer,
  name: CastName,
): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const table of OF_USERS) {
    const rows = await context.db
      .selectFrom(table)
      .select('userId')
      .where('userId', '=', userId(name))
      .execute();
    if (rows.length > 0) counts[table] = rows.length;
  }
  return { ...counts, ...(await countInvitations(context, userId(name))) };
}

async function countInvitations({ db }: TestServer['context'], senderId: string) {
  const invitations = await db
    .selectFrom('uploadInvitations')
    .select('id')
    .where('senderId', '=', senderId)
    .execute();
  const visits = await db
    .selectFrom('uploadInvitationVerifications')
    .select('id')
    .where('invitationId', 'in', [...invitations.map(({ id }) => id), ''])
    .execute();
  return {
    ...(invitations.length > 0 && { uploadInvitations: invitations.length }),
    ...(visits.length > 0 && { uploadInvitationVerifications: visits.length }),
  };
}

export async function existsUser({ context, userId }: TestServer, name: CastName): Promise<boolean> {
  const query = context.db.selectFrom('users').select('id').where('id', '=', userId(name));
  return (await query.executeTakeFirst()) !== undefined;
}

export async function countBlobs({ context }: TestServer): Promise<number> {
  return (await Array.fromAsync(context.blobs.list())).length;
}

/** Advances the clock by minutes and runs the jobs in between. */
export async function passMinutes(server: TestServer, minutes: number): Promise<void> {
  for (let minute = 0; minute < minutes; minute += 1) {
    await server.drainJobs();
    server.clock.advance(MINUTE_MS);
  }
  await server.drainJobs();
}
