import type { Log } from '../lib/logging/log.ts';
import { listExecuted, type Migrations, runMigrations } from './migration-runner.ts';
import { up as first } from './migrations/0001-first.ts';
import { up as sendersAndRecipients } from './migrations/0002-senders-and-recipients.ts';
import { up as whatRecipientsSee } from './migrations/0003-what-recipients-see.ts';
import { up as invitations } from './migrations/0004-invitations.ts';
import { up as payments } from './migrations/0005-payments.ts';
import { up as administration } from './migrations/0006-administration.ts';
import { up as apiKeys } from './migrations/0007-api-keys.ts';
import { up as webhooks } from './migrations/0008-webhooks.ts';
import { up as leases } from './migrations/0009-leases.ts';
import { up as directParts } from './migrations/0010-direct-parts.ts';
import { up as tus } from './migrations/0011-tus.ts';
import { up as diskReservations } from './migrations/0014-disk-reservations.ts';
import { indexes as diskReservationsIndex } from './migrations/0014-disk-reservations-index.ts';
import { indexes as largeTables } from './migrations/0015-large-tables.ts';
import { up as zipSummaries } from './migrations/0017-zip-summaries.ts';
import { up as scrub } from './migrations/0019-scrub.ts';
import { indexes as scrubIndexes } from './migrations/0020-scrub-indexes.ts';
import { up as fates } from './migrations/0021-fates.ts';
import { indexes as mailJobs } from './migrations/0022-mail-jobs-index.ts';
import { up as placeReturns } from './migrations/0023-place-returns.ts';
import { up as accountCounts } from './migrations/0024-account-counts.ts';
import { indexes as accountCountsIndexes } from './migrations/0024-account-counts-indexes.ts';
import { up as accountSafety } from './migrations/0025-account-safety.ts';
import { indexes as unverifiedUsers } from './migrations/0025-unverified-users-index.ts';
import { up as accountInvitations } from './migrations/0026-account-invitations.ts';
import { up as registeredAt } from './migrations/0027-registered-at.ts';
import { up as scanning } from './migrations/0028-scanning.ts';
import { indexes as scanningIndex } from './migrations/0028-scanning-index.ts';
import { up as searchIndex } from './migrations/0029-search-index.ts';
import { indexes as openInvoicesIndex } from './migrations/0030-open-invoices-index.ts';
import { up as reopenRequests } from './migrations/0031-reopen-requests.ts';
import { up as totalLimits } from './migrations/0032-total-limits.ts';
import { indexes as visitorTransfersIndex } from './migrations/0032-visitor-transfers-index.ts';
import { up as undoableDeletion } from './migrations/0035-undoable-deletion.ts';
import { up as signInTables } from './migrations/0036-sign-in.ts';
import { up as passkeys } from './migrations/0037-passkeys.ts';
import { up as singleSignOn } from './migrations/0038-single-sign-on.ts';
import { indexes as providerSessionsIndex } from './migrations/0039-provider-sessions-index.ts';
import { up as accountLanguage } from './migrations/0040-account-language.ts';
import { up as encryption } from './migrations/0041-encryption.ts';
import { up as arrival } from './migrations/0042-arrival.ts';
import { up as fileIdentity } from './migrations/0043-file-identity.ts';
import { up as transferVersions } from './migrations/0044-transfer-versions.ts';
import { up as notifications } from './migrations/0045-notifications.ts';
import { up as pickupCodes } from './migrations/0046-pickup-codes.ts';
import { up as imports } from './migrations/0047-imports.ts';
import { up as encryptedRequests } from './migrations/0048-encrypted-requests.ts';
import { up as arrivalNotices } from './migrations/0049-arrival-notices.ts';
import { up as damageNotices } from './migrations/0050-damage-notices.ts';
import type { Db } from './open.ts';

/**
 * Sorted by name. Never edit a released migration. `{ up: … }` runs in one transaction; `{ indexes: … }`
 * builds indexes concurrently.
 */
const MIGRATIONS: Migrations = {
  '0001-first': { up: first },
  '0002-senders-and-recipients': { up: sendersAndRecipients },
  '0003-what-recipients-see': { up: whatRecipientsSee },
  '0004-invitations': { up: invitations },
  '0005-payments': { up: payments },
  '0006-administration': { up: administration },
  '0007-api-keys': { up: apiKeys },
  '0008-webhooks': { up: webhooks },
  '0009-leases': { up: leases },
  '0010-direct-parts': { up: directParts },
  '0011-tus': { up: tus },
  '0014-disk-reservations': { up: diskReservations },
  '0014-disk-reservations-index': { indexes: diskReservationsIndex },
  '0015-large-tables': { indexes: largeTables },
  '0017-zip-summaries': { up: zipSummaries },
  '0019-scrub': { up: scrub },
  '0020-scrub-indexes': { indexes: scrubIndexes },
  '0021-fates': { up: fates },
  '0022-mail-jobs-index': { indexes: mailJobs },
  '0023-place-returns': { up: placeReturns },
  '0024-account-counts': { up: accountCounts },
  '0024-account-counts-indexes': { indexes: accountCountsIndexes },
  '0025-account-safety': { up: accountSafety },
  '0025-unverified-users-index': { indexes: unverifiedUsers },
  '0026-account-invitations': { up: accountInvitations },
  '0027-registered-at': { up: registeredAt },
  '0028-scanning': { up: scanning },
  '0028-scanning-index': { indexes: scanningIndex },
  '0029-search-index': { up: searchIndex },
  '0030-open-invoices-index': { indexes: openInvoicesIndex },
  '0031-reopen-requests': { up: reopenRequests },
  '0032-total-limits': { up: totalLimits },
  '0032-visitor-transfers-index': { indexes: visitorTransfersIndex },
  '0035-undoable-deletion': { up: undoableDeletion },
  '0036-sign-in': { up: signInTables },
  '0037-passkeys': { up: passkeys },
  '0038-single-sign-on': { up: singleSignOn },
  '0039-provider-sessions-index': { indexes: providerSessionsIndex },
  '0040-account-language': { up: accountLanguage },
  '0041-encryption': { up: encryption },
  '0042-arrival': { up: arrival },
  '0043-file-identity': { up: fileIdentity },
  '0044-transfer-versions': { up: transferVersions },
  '0045-notifications': { up: notifications },
  '0046-pickup-codes': { up: pickupCodes },
  '0047-imports': { up: imports },
  '0048-encrypted-requests': { up: encryptedRequests },
  '0049-arrival-notices': { up: arrivalNotices },
  '0050-damage-notices': { up: damageNotices },
};

/** Set by a migration: names the last migration of the oldest version that can still use the tables. */
export const NEEDS_KEY = 'schemaNeeds';

/**
 * Runs while processes of the previous version keep working (`migration-runner.ts`). Of several processes,
 * one migrates and the others wait. A database of a newer version is used unless that version declared it
 * incompatible. Throws a migration's errors, and Error if the database isn't ours or is too new.
 */
export async function migrateToLatest(db: Db, { log }: { log?: Log } = {}): Promise<void> {
  await refuseForeignTables(db);
  await runMigrations(db as never, MIGRATIONS, { log });
  // A newer version may have migrated meanwhile.
  await refuseForeignTables(db);
}

async function refuseForeignTables(db: Db): Promise<void> {
  const newest = Object.keys(MIGRATIONS).at(-1)!;
  const unknown = (await listExecuted(db as never)).filter((name) => !(name in MIGRATIONS));
  const strange = unknown.find((name) => name < newest);
  if (strange) throw new Error(`The database has a migration that no version of Sendwell has: ${strange}.`);
  if (unknown.length > 0) await requireCompatible(db, newest);
}

async function requireCompatible(db: Db, newest: string): Promise<void> {
  const row = await db.selectFrom('settings').select('value').where('key', '=', NEEDS_KEY).executeTakeFirst();
  if (row && row.value > newest)
    throw new Error(
      `A newer version of Sendwell has changed the database (${row.value}), and this version (${newest}) can no longer use it: start the newer version.`,
    );
}

/** All if there are no tables. */
export async function listPendingMigrations(db: Db): Promise<string[]> {
  const executed = new Set(await listExecuted(db as never));
  return Object.keys(MIGRATIONS).filter((name) => !executed.has(name));
}
