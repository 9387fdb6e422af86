import { z } from 'zod';
import { Id, ShareToken } from './common.ts';
import { defineEndpoint } from './endpoint.ts';

/** How a file can be looked at without downloading it. */
export const PreviewKind = z.enum(['image', 'pdf', 'video', 'audio', 'text']);
export type PreviewKind = z.infer<typeof PreviewKind>;

/** Bytes of a text that a preview shows at most. */
export const TEXT_PREVIEW_BYTES = 512 * 1024;

const FileParams = z.object({ token: ShareToken, fileId: Id });
const OwnFileParams = z.object({ id: Id, fileId: Id });

/** WebP, at most 480 pixels on the longer side; through the same gate as a download, never counted. */
export const showThumbnail = defineEndpoint({
  method: 'GET',
  path: '/api/download/:token/thumbnail/:fileId',
  access: 'public',
  summary: 'A small picture of a file; for transfers of pro and premium senders',
  params: FileParams,
  response: 'stream',
});

/**
 * Images and the first page of a PDF as WebP of at most 2,048 pixels, video and audio as they are with Range,
 * text as `text/plain` cut at 512 KiB. Never counted as a download; hence nothing whole is previewed of a
 * transfer with a download limit.
 */
export const previewFile = defineEndpoint({
  method: 'GET',
  path: '/api/download/:token/preview/:fileId',
  access: 'public',
  summary: 'A look at a file; for transfers of pro and premium senders',
  params: FileParams,
  response: 'stream',
});

/** Also while the transfer is locked, scheduled or expired. 402 when the plan has no previews. */
export const showOwnThumbnail = defineEndpoint({
  method: 'GET',
  path: '/api/transfers/:id/files/:fileId/thumbnail',
  access: 'signed-in',
  summary: 'A small picture of one of your own files; pro and premium',
  params: OwnFileParams,
  response: 'stream',
});

/** As `previewFile`, and whole whatever the download limit: it is the caller's own. */
export const previewOwnFile = defineEndpoint({
  method: 'GET',
  path: '/api/transfers/:id/files/:fileId/preview',
  access: 'signed-in',
  summary: 'A look at one of your own files; pro and premium',
  params: OwnFileParams,
  response: 'stream',
});
