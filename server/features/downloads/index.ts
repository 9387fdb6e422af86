export { limitUnknownTokens } from './access/access.ts';
export { downloadJobs } from './claims/used-up-transfers.ts';
export { isEncryptedShare, renderLinkCard } from './link-card/link-card.ts';
