import { lookAtFilesJob } from './looking.ts';
import { renderPicturesJob } from './rendering.ts';

export const previewJobs = [lookAtFilesJob, renderPicturesJob];
