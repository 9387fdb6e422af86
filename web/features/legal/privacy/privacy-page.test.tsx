import { readFileSync } from 'node:fs';
import { renderToStaticMarkup } from 'react-dom/server';
import { expect, test } from 'vitest';
import { ANALYTICS_DAYS } from '../../../../contracts/analytics.ts';
import { RETENTION } from '../../../../contracts/transfers/retention.ts';
import { PRIVACY } from './privacy-page.tsx';

/** The term of the policy that covers each table; null if the table has no personal data. */
const TERM_OF_TABLE: Record<string, string | null> = {
  users: 'Your account',
  sessions: 'Sessions',
  passkeys: 'Signing in',
  totpSecrets: 'Signing in',
  recoveryCodes: 'Signing in',
  identityProviders: null,
  externalIdentities: 'Single sign-on',
  providerDomains: null,
  signInAttempts: 'Codes and links',
  accountEvents: 'Signing in',
  emailVerificationCodes: 'Codes and links',
  passwordResets: 'Codes and links',
  emailChanges: 'Codes and links',
  userPreferences: 'Your account',
  apiKeys: 'API keys',
  pushSubscriptions: 'Push notifications',
  webhooks: 'Webhooks',
  webhookDeliveries: 'Webhooks',
  settings: null,
  imports: null,
  importedItems: null,
  importedBlobs: null,
  importedAddresses: null,
  transfers: 'Transfers',
  transferRecipients: 'Recipients',
  arrivalNotices: 'Recipients',
  pickupCodes: 'Pickup codes',
  files: 'Transfers',
  heldFiles: 'Transfers',
  sealedDocuments: 'Transfers',
  transferVersions: 'Transfers',
  plannedChanges: 'Transfers',
  contentRules: 'Blocked and released files',
  uploads: 'Unfinished uploads',
  diskReservations: null,
  tusUploads: 'Unfinished uploads',
  packs: null,
  monthlyUsage: 'Your account',
  accountCounts: 'Your account',
  downloads: 'Downloads and views',
  placeReturns: 'Downloads and views',
  transferViews: 'Downloads and views',
  filePreviews: 'Transfers',
  fileThumbnails: 'Transfers',
  transferTotals: 'Download logs',
  userTotals: 'Download logs',
  abuseReports: 'Abuse reports',
  coupons: null,
  couponRedemptions: 'Payments',
  subscriptions: 'Payments',
  invoices: 'Invoices',
  billingTurns: 'Payments',
  demoSubscriptions: 'Payments',
  demoInvoices: 'Payments',
  paymentEvents: 'Payments',
  ads: 'Advertisements',
  auditLog: 'Audit log',
  emailResends: 'Emails',
  uploadInvitations: 'Visitors',
  uploadInvitationVerifications: 'Visitors',
  accountInvitations: 'Invitations to register',
  accountAlerts: 'Codes and links',
  knownPlaces: 'Known places',
  jobs: null,
  mails: 'Emails',
  fates: 'Outcome of a transfer',
  mailOptOuts: 'Unsubscribed addresses',
  rateCounters: 'Protection against abuse',
  leases: null,
  idempotencyKeys: 'API keys, webhooks',
  storageMultiparts: null,
  storageParts: null,
  storageDirectParts: null,
};

const read = (path: string) => readFileSync(new URL(`../../../../${path}`, import.meta.url), 'utf8');

function renderSection(id: string): string {
  const section = PRIVACY.find((each) => each.id === id);
  return renderToStaticMarkup(section?.content).replaceAll('&#x27;', "'");
}

test('each table with data about people has its row in the policy', () => {
  const schema = read('server/platform/db/schema.ts');
  const tables = /interface Database \{([^}]*)\}/.exec(schema)![1]!.matchAll(/^ {2}(\w+):/gm);
  const rows = renderSection('stored') + renderSection('retention');
  for (const [, table] of tables) {
    const term = TERM_OF_TABLE[table!];
    expect(
      term,
      `Name the table ${table} in stored-data.ts or retention-periods.tsx, then here`,
    ).toBeDefined();
    if (term) expect(rows).toContain(`>${term}</dt>`);
  }
});

test('each cookie has its row in the policy', () => {
  const cookies = renderSection('cookies');
  for (const [path, names] of [
    ['server/features/accounts/sign-in/sessions/cookies.ts', ['sendwell_session', 'sendwell_pending']],
    ['server/features/downloads/access/cookies.ts', ['download-grant', 'download-ticket']],
    ['server/features/invitations/visits/grants.ts', ['visitor-']],
    ['web/lib/browser/sidebar-cookie.ts', ['sidebar_state']],
  ] as const) {
    const quoted = read(path).matchAll(/['`]((?:sendwell_|download-|visitor-|sidebar_)[a-z_]*)/g);
    const found = [...new Set([...quoted].map(([, name]) => name!))];
    expect(found).toEqual(expect.arrayContaining([...names]));
    for (const name of found) expect(cookies).toContain(name);
  }
});

test('the policy states the periods by which the server removes', () => {
  const text = renderSection('retention')
    .replaceAll(/<[^>]+>/g, ' ')
    .replaceAll(/\s+/g, ' ');
  for (const sentence of [
    `removed ${RETENTION.expiredTransferDays} days later`,
    `Up to ${RETENTION.accessLogDays} days`,
    `kept in a trash for ${RETENTION.trashDays} days`,
    `at most ${RETENTION.sessionDays} days`,
    `Verification codes are valid for ${RETENTION.verificationCodeMinutes} minutes`,
  ])
    expect(text).toContain(sentence);
  expect(ANALYTICS_DAYS.premium).toBe(2 * 365);
  expect(text).toContain('kept for 24 months');
});
