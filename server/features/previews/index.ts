export { enqueueFileDetection, previewJobs } from './file-detection.ts';
export { describePreviews, type FindPreview, openPreview, openThumbnail } from './previews.ts';
