export { countRestOf, uncountDownload } from './totals/count-events.ts';
export { isOwnVisit, ViewLog } from './views.ts';
