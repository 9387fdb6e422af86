export { findDeletionSafety } from './system/deletion-safety.ts';
export { measureStorage } from './system/storage-truth.ts';
