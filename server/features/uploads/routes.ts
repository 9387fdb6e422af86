import type { FastifyInstance } from 'fastify';
import {
  abortUpload as abortUploadCall,
  completeUpload,
  completeUploads as completeUploadsCall,
  initUpload,
  initUploads,
  listChunks,
  listUploads,
  uploadChunk,
} from '../../../contracts/uploads.ts';
import type { Context } from '../../context.ts';
import { drainBody } from '../../platform/http/drain-body.ts';
import { route } from '../../platform/http/route.ts';
import { announceUploads } from './announcements.ts';
import { receiveChunk } from './chunks.ts';
import { completeUploads } from './completion.ts';
import { presentSession } from './presenter.ts';
import { abortUpload, listReceivedChunks, listUnfinishedUploads } from './unfinished.ts';

export function uploadRoutes(app: FastifyInstance, context: Context): void {
  route(app, initUpload, async ({ body: { transferId, ...file }, user }) => {
    const [upload] = await announceUploads(context, user, { transferId, files: [file] });
    return presentSession(upload!);
  });

  route(app, initUploads, async ({ body: { transferId, files }, user }) => {
    const uploads = await announceUploads(context, user, { transferId, files, field: 'files' });
    return { transferId: uploads[0]!.transferId, uploads: uploads.map(presentSession) };
  });

  route(app, uploadChunk, async ({ params: { uploadId, index }, user, request }) => {
    const { raw, headers } = request;
    const length = headers['content-length'];
    const digest = headers['content-digest'];
    try {
      return {
        index: await receiveChunk(context, {
          userId: user.id,
          uploadId,
          index,
          stream: raw,
          declaredBytes: length === undefined ? undefined : Number(length),
          contentDigest: Array.isArray(digest) ? digest.join(',') : digest,
          receivedBytes: () => raw.socket.bytesRead,
        }),
      };
    } catch (error) {
      drainBody(request);
      throw error;
    }
  });

  route(app, listChunks, async ({ params, user }) => ({
    chunks: await listReceivedChunks(context, user.id, params.uploadId),
  }));

  route(app, abortUploadCall, ({ params, user }) => abortUpload(context, user.id, params.uploadId));

  route(app, listUploads, ({ user }) => listUnfinishedUploads(context, user.id));

  route(app, completeUpload, ({ params, body, user }) => {
    const { transferId, fileCount, fileName, mimeType, ...settings } = body;
    return completeUploads(context, user, {
      uploadIds: [params.uploadId],
      transferId: transferId ?? undefined,
      fileCount: fileCount ?? undefined,
      fileName: fileName ?? undefined,
      mimeType: mimeType ?? undefined,
      settings,
    });
  });

  route(app, completeUploadsCall, ({ body, user }) => {
    const { transferId, uploadIds, fileCount, ...settings } = body;
    return completeUploads(context, user, {
      uploadIds,
      transferId,
      fileCount: fileCount ?? undefined,
      settings,
    });
  });
}
