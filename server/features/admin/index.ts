export { findDeletionSafety } from './deletion-safety.ts';
export { measureStorage } from './storage-truth.ts';
