export { extendTransfers, removeTransfers, reopenTransfer, takeDownTransfer } from './administration.ts';
export { claimCounts, retryAfterRecount } from './count-quotas.ts';
export { removeTransfer } from './deletion.ts';
export {
  addFilesToTransfer,
  announceFileCount,
  becomeReadyIfComplete,
  createDraft,
  findOwnTransfer,
  holdOrCreateDraft,
  holdOwnTransfer,
  type OpenedTransfer,
  releaseInTransfer,
  removeEmptyDraft,
  reserveInTransfer,
  setScanState,
} from './drafts.ts';
export { noteTransferEvent, noteViewed } from './events.ts';
export { EXPIRY_GRACE_MS, isExpired } from './expiry.ts';
export {
  type FateContext,
  listTransferFates,
  listUploadFates,
  recordTransferFates,
  recordUploadFate,
} from './fates.ts';
export { type FilePage, listFilePage } from './file-pages.ts';
export { findLargeMentioning } from './long-list.ts';
export { chargeMails, isTrustedSender } from './mail-quota.ts';
export { listRecipients } from './recipients.ts';
export {
  applySettings,
  type DecidedSettings,
  decideSettings,
  listDecidedEmails,
  requireIncludedSettings,
} from './settings.ts';
export { addUsage, findUsage, subtractUsage } from './usage.ts';
export {
  enqueueZipMeasure,
  isLongList,
  planSelection,
  planWholeZip,
  readZipSummary,
  type ZipPlan,
} from './zip-plans.ts';
