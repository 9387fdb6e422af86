export {
  changeTierConfig,
  getTierConfig,
  limitsOf,
  requireDownloadLimit,
  requireEncryptionPolicy,
  requireFeature,
} from './tiers.ts';
