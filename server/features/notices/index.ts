export { tellOfLastDownloads } from './activity.ts';
