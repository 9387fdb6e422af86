export { downloadBackgroundRoutes } from './background-routes.ts';
export { downloadPreviewRoutes } from './preview-routes.ts';
