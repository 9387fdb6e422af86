export { type ArrivalWatch, arrivalsOf, requireWanted } from './arriving/arrivals.ts';
export { arrivingSource } from './arriving/arriving-source.ts';
export { tuneGarbageCollection } from './chunks/garbage-collection.ts';
export { findReservedDiskSpace } from './core/disk-reservations.ts';
export { insertFiles } from './core/queries.ts';
export { discardUpload } from './core/unfinished-uploads.ts';
export { formUploadRoutes } from './form/routes.ts';
export { enqueueSweep } from './jobs.ts';
export { putFileRoutes } from './put/routes.ts';
export { listNamedBlobs, type NamedBlob } from './sweep/named-blobs.ts';
export { findOrphanLimit, isQuarantined, sweepTrash } from './sweep/orphans.ts';
export { findNamedKeys } from './sweep/queries.ts';
export {
  confirmSweepStop,
  findSweepReport,
  findSweepStop,
  isConfirmed,
  SweepTally,
} from './sweep/records.ts';
export { tusRoutes } from './tus/routes.ts';
export { updateRoutes } from './updates/routes.ts';
