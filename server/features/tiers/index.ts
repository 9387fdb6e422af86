export { changeTierConfig, getTierConfig, limitsOf, requireDownloadLimit, requireFeature } from './tiers.ts';
