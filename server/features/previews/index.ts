export { enqueueFileDetection, previewJobs } from './file-detection.ts';
export { countPages, openPage } from './pdf-pages.ts';
export { describePreviews, type FindPreview, openPreview, openThumbnail } from './previews.ts';
