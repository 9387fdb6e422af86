export { changeTierConfig } from './administration.ts';
export { getTierConfig, limitsOf, requireDownloadLimit, requireFeature } from './tiers.ts';
