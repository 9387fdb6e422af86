export { countRestOf, uncountDownload } from './counting.ts';
export { isOwnVisit } from './own-visit.ts';
export { ViewLog } from './views.ts';
