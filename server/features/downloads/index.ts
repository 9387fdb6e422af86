export { downloadJobs } from './claims/used-up-transfers.ts';
export { renderLinkCard } from './link-card/link-card.ts';
