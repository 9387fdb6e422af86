import type { Selectable } from 'kysely';
import type {
  AccountAlertsTable,
  AccountCountsTable,
  AccountEventsTable,
  AccountInvitationsTable,
  ApiKeysTable,
  EmailChangesTable,
  EmailVerificationCodesTable,
  ExternalIdentitiesTable,
  IdentityProvidersTable,
  MonthlyUsageTable,
  PasskeysTable,
  PasswordResetsTable,
  ProviderDomainsTable,
  PushSubscriptionsTable,
  RecoveryCodesTable,
  SessionsTable,
  SignInAttemptsTable,
  TotpSecretsTable,
  UserPreferencesTable,
  UsersTable,
  WebhookDeliveriesTable,
  WebhooksTable,
} from './schema/accounts.ts';
import type {
  AdsTable,
  BillingTurnsTable,
  CouponRedemptionsTable,
  CouponsTable,
  DemoInvoicesTable,
  DemoSubscriptionsTable,
  InvoicesTable,
  PaymentEventsTable,
  SubscriptionsTable,
} from './schema/billing.ts';
import type {
  AbuseReportsTable,
  DownloadsTable,
  PlaceReturnsTable,
  TransferTotalsTable,
  TransferViewsTable,
  UserTotalsTable,
} from './schema/downloads.ts';
import type {
  ContentRulesTable,
  FilePreviewsTable,
  FileThumbnailsTable,
  HeldFilesTable,
} from './schema/files.ts';
import type {
  ImportedAddressesTable,
  ImportedBlobsTable,
  ImportedItemsTable,
  ImportsTable,
} from './schema/imports.ts';
import type {
  AuditLogTable,
  IdempotencyKeysTable,
  JobsTable,
  KnownPlacesTable,
  LeasesTable,
  MailOptOutsTable,
  MailsTable,
  RateCountersTable,
  SettingsTable,
} from './schema/platform.ts';
import type {
  ArrivalNoticesTable,
  EmailResendsTable,
  FatesTable,
  FilesTable,
  PickupCodesTable,
  PlannedChangesTable,
  SealedDocumentsTable,
  TransferRecipientsTable,
  TransfersTable,
  TransferVersionsTable,
  UploadInvitationsTable,
  UploadInvitationVerificationsTable,
} from './schema/transfers.ts';
import type {
  DiskReservationsTable,
  PacksTable,
  StorageDirectPartsTable,
  StorageMultipartsTable,
  StoragePartsTable,
  TusUploadsTable,
  UploadsTable,
} from './schema/uploads.ts';

/**
 * All tables. Both engines share these types: ids are text, instants are epoch milliseconds, flags are 0 or
 * 1, lists are JSON text. Column names are the contracts' field names. The comment on a table names the
 * feature that writes it.
 */
export interface Database {
  users: UsersTable;
  sessions: SessionsTable;
  passkeys: PasskeysTable;
  totpSecrets: TotpSecretsTable;
  recoveryCodes: RecoveryCodesTable;
  signInAttempts: SignInAttemptsTable;
  accountEvents: AccountEventsTable;
  identityProviders: IdentityProvidersTable;
  externalIdentities: ExternalIdentitiesTable;
  providerDomains: ProviderDomainsTable;
  emailVerificationCodes: EmailVerificationCodesTable;
  passwordResets: PasswordResetsTable;
  accountInvitations: AccountInvitationsTable;
  emailChanges: EmailChangesTable;
  accountAlerts: AccountAlertsTable;
  userPreferences: UserPreferencesTable;
  apiKeys: ApiKeysTable;
  pushSubscriptions: PushSubscriptionsTable;
  webhooks: WebhooksTable;
  webhookDeliveries: WebhookDeliveriesTable;
  settings: SettingsTable;
  transfers: TransfersTable;
  transferRecipients: TransferRecipientsTable;
  arrivalNotices: ArrivalNoticesTable;
  pickupCodes: PickupCodesTable;
  files: FilesTable;
  uploads: UploadsTable;
  diskReservations: DiskReservationsTable;
  tusUploads: TusUploadsTable;
  packs: PacksTable;
  sealedDocuments: SealedDocumentsTable;
  transferVersions: TransferVersionsTable;
  plannedChanges: PlannedChangesTable;
  imports: ImportsTable;
  importedItems: ImportedItemsTable;
  importedBlobs: ImportedBlobsTable;
  importedAddresses: ImportedAddressesTable;
  monthlyUsage: MonthlyUsageTable;
  accountCounts: AccountCountsTable;
  downloads: DownloadsTable;
  placeReturns: PlaceReturnsTable;
  transferViews: TransferViewsTable;
  filePreviews: FilePreviewsTable;
  fileThumbnails: FileThumbnailsTable;
  transferTotals: TransferTotalsTable;
  userTotals: UserTotalsTable;
  abuseReports: AbuseReportsTable;
  coupons: CouponsTable;
  couponRedemptions: CouponRedemptionsTable;
  subscriptions: SubscriptionsTable;
  invoices: InvoicesTable;
  billingTurns: BillingTurnsTable;
  demoSubscriptions: DemoSubscriptionsTable;
  demoInvoices: DemoInvoicesTable;
  paymentEvents: PaymentEventsTable;
  ads: AdsTable;
  auditLog: AuditLogTable;
  emailResends: EmailResendsTable;
  uploadInvitations: UploadInvitationsTable;
  uploadInvitationVerifications: UploadInvitationVerificationsTable;
  jobs: JobsTable;
  mails: MailsTable;
  heldFiles: HeldFilesTable;
  contentRules: ContentRulesTable;
  fates: FatesTable;
  mailOptOuts: MailOptOutsTable;
  rateCounters: RateCountersTable;
  knownPlaces: KnownPlacesTable;
  leases: LeasesTable;
  idempotencyKeys: IdempotencyKeysTable;
  storageMultiparts: StorageMultipartsTable;
  storageParts: StoragePartsTable;
  storageDirectParts: StorageDirectPartsTable;
}

export type UserRow = Selectable<UsersTable>;
export type SessionRow = Selectable<SessionsTable>;
export type SignInAttemptRow = Selectable<SignInAttemptsTable>;
export type IdentityProviderRow = Selectable<IdentityProvidersTable>;
export type ExternalIdentityRow = Selectable<ExternalIdentitiesTable>;
export type ApiKeyRow = Selectable<ApiKeysTable>;
export type TransferRow = Selectable<TransfersTable>;
export type RecipientRow = Selectable<TransferRecipientsTable>;
export type FileRow = Selectable<FilesTable>;
export type UploadRow = Selectable<UploadsTable>;
export type InvitationRow = Selectable<UploadInvitationsTable>;
export type AccountInvitationRow = Selectable<AccountInvitationsTable>;
export type VisitRow = Selectable<UploadInvitationVerificationsTable>;
export type PickupCodeRow = Selectable<PickupCodesTable>;
export type PushSubscriptionRow = Selectable<PushSubscriptionsTable>;
export type WebhookRow = Selectable<WebhooksTable>;
export type WebhookDeliveryRow = Selectable<WebhookDeliveriesTable>;
export type CouponRow = Selectable<CouponsTable>;
export type SubscriptionRow = Selectable<SubscriptionsTable>;
export type AdRow = Selectable<AdsTable>;
export type JobRow = Selectable<JobsTable>;
export type MailRow = Selectable<MailsTable>;
export type HeldFileRow = Selectable<HeldFilesTable>;
export type ContentRuleRow = Selectable<ContentRulesTable>;
export type SealedDocumentRow = Selectable<SealedDocumentsTable>;
export type FateRow = Selectable<FatesTable>;
