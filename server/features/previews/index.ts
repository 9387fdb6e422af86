export { enqueueLook } from './looking.ts';
export { type Looks, toLooks } from './looks.ts';
export { openPreview, openThumbnail } from './serving.ts';
