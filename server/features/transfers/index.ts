export { encryptionVersionOf, presentProtection, recipientLink } from './encryption/protection.ts';
export {
  discardDocument,
  findManifestRevision,
  findSealedDocument,
  type SealedKind,
  sendSealedDocument,
} from './encryption/sealed-documents.ts';
export { requireSealedSettings } from './encryption/sealed-settings.ts';
export { recordTransferEvent, recordViewEvent } from './events.ts';
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
  setScanState,
} from './lifecycle/drafts.ts';
export { EXPIRY_GRACE_MS, isExpired } from './lifecycle/expiry.ts';
export {
  type FateContext,
  listTransferFates,
  listUploadFates,
  recordTransferFates,
  recordUploadFate,
} from './lifecycle/fates.ts';
export { claimCounts, retryAfterRecount } from './limits/count-quotas.ts';
export { chargeMails, isTrustedSender } from './limits/mail-quota.ts';
export {
  addFilesToTransfer,
  findUsage,
  releaseBytes,
  reserveBytes,
  reserveInTransfer,
} from './limits/usage.ts';
export { type FilePage, type FilePaging, listFilePage } from './lists/file-pages.ts';
export { findLargeMentioning } from './lists/long-list.ts';
export { listRecipients } from './mails/recipients.ts';
export {
  applySettings,
  type DecidedSettings,
  decideSettings,
  listDecidedEmails,
  requireIncludedSettings,
} from './settings/settings.ts';
export { requireOwnTransfer } from './transfers.ts';
export {
  enqueueZipMeasure,
  isLongList,
  planSelection,
  planWholeZip,
  readZipSummary,
  type ZipPlan,
} from './zip-plans.ts';
