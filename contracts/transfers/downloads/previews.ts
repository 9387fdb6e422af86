import { z } from 'zod';
import { defineEndpoint } from '../../endpoint.ts';
import { Id, ShareToken } from '../../values/fields.ts';

export const PreviewKind = z
  .enum(['image', 'pdf', 'video', 'audio', 'text'])
  .describe('How a file can be viewed without downloading it.');
export type PreviewKind = z.infer<typeof PreviewKind>;

/** Longer texts are truncated. */
export const TEXT_PREVIEW_BYTES = 512 * 1024;

/** More pages of a PDF are not shown. */
export const PDF_PREVIEW_PAGES = 200;

const FileParams = z.object({ token: ShareToken, fileId: Id });
const OwnFileParams = z.object({ id: Id, fileId: Id });

export const showThumbnail = defineEndpoint({
  method: 'GET',
  path: '/api/download/:token/thumbnail/:fileId',
  access: 'public',
  summary: 'A thumbnail of a file; for transfers of Pro and Premium senders',
  description:
    'Returns WebP, at most 480 pixels on the longer side. Same access rules as a download, but never counted.',
  params: FileParams,
  response: 'stream',
});

export const previewFile = defineEndpoint({
  method: 'GET',
  path: '/api/download/:token/preview/:fileId',
  access: 'public',
  summary: 'A preview of a file; for transfers of Pro and Premium senders',
  description:
    'Images and the first page of a PDF (all pages: `showPdfPage`) as WebP of at most 2,048 pixels, video and audio unchanged and with `Range`, text as `text/plain` cut at 512 KiB. Never counts as a download, so files that would be shown whole have no preview if the transfer has a download limit.',
  params: FileParams,
  response: 'stream',
});

export const showOwnThumbnail = defineEndpoint({
  method: 'GET',
  path: '/api/transfers/:id/files/:fileId/thumbnail',
  access: 'signed-in',
  summary: 'A thumbnail of one of your own files; Pro and Premium',
  description:
    'Also while the transfer is locked, scheduled or expired. Answers 402 if the plan has no previews.',
  params: OwnFileParams,
  response: 'stream',
});

export const previewOwnFile = defineEndpoint({
  method: 'GET',
  path: '/api/transfers/:id/files/:fileId/preview',
  access: 'signed-in',
  summary: 'A preview of one of your own files; Pro and Premium',
  description: 'Like `previewFile`, but not restricted by the download limit.',
  params: OwnFileParams,
  response: 'stream',
});

const PdfPages = z.object({
  pageCount: z
    .int()
    .nullable()
    .describe(
      'Number of pages; at most the first 200 can be viewed. Null if only the first can be, because the transfer has a download limit.',
    ),
});
const PageNumber = z.object({
  page: z.string().regex(/^[1-9]\d{0,2}$/, 'Please send the number of a page'),
});

export const countPdfPages = defineEndpoint({
  method: 'GET',
  path: '/api/download/:token/preview/:fileId/pages',
  access: 'public',
  summary: 'The number of pages of a PDF; for transfers of Pro and Premium senders',
  description: 'Same access rules as a download. Limited per address, because pages are rendered on demand.',
  params: FileParams,
  response: PdfPages,
});

export const showPdfPage = defineEndpoint({
  method: 'GET',
  path: '/api/download/:token/preview/:fileId/pages/:page',
  access: 'public',
  summary: 'A page of a PDF; for transfers of Pro and Premium senders',
  description:
    'Returns WebP, at most 2,048 pixels on the longer side. Never counts as a download, so there is none if the transfer has a download limit. Limited per address, because pages are rendered on demand.',
  params: FileParams.extend(PageNumber.shape),
  response: 'stream',
});

export const countOwnPdfPages = defineEndpoint({
  method: 'GET',
  path: '/api/transfers/:id/files/:fileId/preview/pages',
  access: 'signed-in',
  summary: 'The number of pages of one of your own PDFs; Pro and Premium',
  params: OwnFileParams,
  response: PdfPages,
});

export const showOwnPdfPage = defineEndpoint({
  method: 'GET',
  path: '/api/transfers/:id/files/:fileId/preview/pages/:page',
  access: 'signed-in',
  summary: 'A page of one of your own PDFs; Pro and Premium',
  description: 'Like `showPdfPage`, but not restricted by the download limit.',
  params: OwnFileParams.extend(PageNumber.shape),
  response: 'stream',
});
