export { addArrivalNotice } from './arrival/arrival-notices.ts';
export { type ArrivalSnapshot, readArrival } from './arrival/arrival-progress.ts';
export {
  type ArrivingUpload,
  countShownFiles,
  findArrivingUpload,
  toAnnouncedFile,
} from './arrival/arriving-uploads.ts';
export { type ArrivingZipPlan, planArrivingZip } from './arrival/arriving-zip.ts';
export {
  changeAnnouncedFiles,
  listArrivals,
  listOwnArrivals,
  markArriving,
  markStopped,
} from './arrival/publish-queries.ts';
export { encryptionVersionOf, presentProtection, recipientLink } from './encryption/protection.ts';
export { storeReceivedKey } from './encryption/received-key.ts';
export {
  discardDocument,
  findManifestRevision,
  findSealedDocument,
  requireManifest,
  type SealedKind,
  sendSealedDocument,
} from './encryption/sealed-documents.ts';
export { requireSealedSettings } from './encryption/sealed-settings.ts';
export { recordTransferEvent, recordViewEvent } from './events.ts';
export { lastModifiedAt } from './file-times.ts';
export {
  extendTransfers,
  removeTransfers,
  reopenTransfer,
  takeDownTransfer,
} from './lifecycle/administration.ts';
export { removeTransfer } from './lifecycle/deletion.ts';
export {
  announceFileCount,
  becomeReadyIfComplete,
  createDraft,
  findOwnTransfer,
  lockOrCreateDraft,
  lockOwnTransfer,
  type OpenedTransfer,
  removeEmptyDraft,
  requireComplete,
  setScanState,
} from './lifecycle/drafts.ts';
export { EXPIRY_GRACE_MS, isExpired } from './lifecycle/expiry.ts';
export {
  type FateContext,
  listTransferFates,
  listUploadFates,
  recordTransferFates,
  recordUploadFates,
} from './lifecycle/fates.ts';
export { type ImportedTransferRow, insertImportedTransfer } from './lifecycle/imported.ts';
export { claimCounts, retryAfterRecount } from './limits/count-quotas.ts';
export { chargeMails, isTrustedSender } from './limits/mail-quota.ts';
export {
  addFilesToTransfer,
  findUsage,
  releaseBytes,
  reserveBytes,
  reserveInTransfer,
  transferLimitExceeded,
} from './limits/usage.ts';
export { type FilePage, type FilePaging, listFilePage } from './lists/file-pages.ts';
export { findLargeMentioning } from './lists/long-list.ts';
export { listRecipients } from './mails/recipients.ts';
export { deletePlannedChanges } from './queries.ts';
export {
  applySettings,
  type DecidedSettings,
  decideSettings,
  listDecidedEmails,
  requireIncludedSettings,
} from './settings/settings.ts';
export { requireOwnTransfer } from './transfers.ts';
export { allVersionsOf, earlierFilesOf, transferIdOf } from './versions/earlier-files.ts';
export { findDamagedInVersion, isVersionHeld, readVersionFiles } from './versions/version-queries.ts';
export {
  listVersionPage,
  listVersionsOf,
  planVersionZip,
  requireVersion,
} from './versions/versions.ts';
export {
  enqueueZipMeasure,
  isLongList,
  planSelection,
  planWholeZip,
  readZipSummary,
  type ZipPlan,
} from './zip-plans.ts';
