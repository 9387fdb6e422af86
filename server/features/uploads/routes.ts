import type { FastifyInstance } from 'fastify';
import {
  abortUpload as abortUploadCall,
  abortUploads as abortUploadsCall,
  completeUpload,
  completeUploads as completeUploadsCall,
  confirmChunks as confirmChunksCall,
  initUpload,
  initUploads,
  listChunks,
  listUploads,
  putManifest,
  putPictures,
  putSealedKey,
  signChunks as signChunksCall,
  uploadChunk,
} from '../../../contracts/transfers/uploads/uploads.ts';
import type { Context } from '../../context.ts';
import type { UploadRow } from '../../platform/db/schema.ts';
import { drainBody, readContentLength } from '../../platform/http/bodies/raw-body.ts';
import { route } from '../../platform/http/routing/route.ts';
import { AppError } from '../../platform/lib/app-error.ts';
import { findOwnTransfer } from '../transfers/index.ts';
import { arrivalsOf } from './arriving/arrivals.ts';
import { arrivalRoutes } from './arriving/routes.ts';
import { receiveChunk } from './chunks/chunks.ts';
import { canSendDirectly, confirmChunks, signChunks } from './chunks/direct-chunks.ts';
import { announceUploads } from './core/announcements.ts';
import { completeUploads } from './core/completion.ts';
import { presentSession } from './core/presenter.ts';
import { announceRepair } from './core/repairs.ts';
import {
  abortUpload,
  abortUploads,
  listReceivedChunks,
  listUnfinishedUploads,
} from './core/unfinished-uploads.ts';
import { scopeOf, uploaderOf } from './core/uploader.ts';
import { storeDocument } from './sealed/store-document.ts';
import { storeSealedKey } from './sealed/store-received-key.ts';

export function uploadRoutes(app: FastifyInstance, context: Context): void {
  arrivalRoutes(app, context);
  route(app, initUpload, async ({ body, ...caller }) => {
    const { transferId, encryption, repairs: fileId, invitationToken: _, ...file } = body;
    if (fileId) {
      if (!transferId)
        throw new AppError('invalid_input', { errors: { transferId: 'Please name the transfer.' } });
      const repair = await announceRepair(context, uploaderOf(caller), { transferId, fileId, file });
      return presentSession(repair, canSendDirectly(context, repair));
    }
    const [upload] = await announceUploads(context, uploaderOf(caller), {
      transferId,
      encryption,
      files: [file],
    });
    return presentSession(upload!, canSendDirectly(context, upload!));
  });

  route(app, initUploads, async ({ body: { transferId, encryption, files }, ...caller }) => {
    const announcement = { transferId, encryption, files, field: 'files' } as const;
    const uploader = uploaderOf(caller);
    const uploads = await announceUploads(context, uploader, announcement);
    const [{ transferId: announcedId }] = uploads as [UploadRow];
    const created = encryption
      ? await findOwnTransfer(context.db, uploader.owner.id, announcedId)
      : undefined;
    return {
      transferId: announcedId,
      ...(created && !uploader.visitor && { token: created.token }),
      uploads: uploads.map((upload) => presentSession(upload, canSendDirectly(context, upload))),
    };
  });

  route(app, uploadChunk, async ({ params: { uploadId, index }, request, ...caller }) => {
    const { raw, headers } = request;
    const digest = headers['content-digest'];
    try {
      const stored = await receiveChunk(context, {
        scope: scopeOf(uploaderOf({ ...caller, request })),
        uploadId,
        index,
        stream: raw,
        declaredBytes: readContentLength(headers),
        contentDigest: Array.isArray(digest) ? digest.join(',') : digest,
        receivedBytes: () => raw.socket.bytesRead,
      });
      const wanted = arrivalsOf(context).findWanted(uploadId);
      return { index: stored, ...(wanted !== undefined && { wanted }) };
    } catch (error) {
      drainBody(request);
      throw error;
    }
  });

  for (const [call, kind] of [
    [putManifest, 'manifest'],
    [putPictures, 'pictures'],
  ] as const)
    route(app, call, async ({ params: { transferId }, query: { revision }, request, ...caller }) => {
      const { raw, headers } = request;
      try {
        const document = {
          transferId,
          kind,
          revision,
          stream: raw,
          declaredBytes: readContentLength(headers),
        };
        await storeDocument(context, uploaderOf({ ...caller, request }), document);
      } catch (error) {
        drainBody(request);
        throw error;
      }
    });

  route(app, putSealedKey, ({ params, body: { sealedKey }, ...caller }) =>
    storeSealedKey(context, uploaderOf(caller), { ...params, sealedKey }),
  );

  route(app, signChunksCall, async ({ params, body: { parts }, ...caller }) => ({
    parts: await signChunks(context, { ...params, scope: scopeOf(uploaderOf(caller)), parts }),
  }));

  route(app, confirmChunksCall, async ({ params, body: { indexes }, ...caller }) => ({
    chunks: await confirmChunks(context, { ...params, scope: scopeOf(uploaderOf(caller)), indexes }),
  }));

  route(app, listChunks, async ({ params, ...caller }) => ({
    chunks: await listReceivedChunks(context, scopeOf(uploaderOf(caller)), params.uploadId),
  }));

  route(app, abortUploadCall, ({ params, ...caller }) =>
    abortUpload(context, scopeOf(uploaderOf(caller)), params.uploadId),
  );

  route(app, abortUploadsCall, ({ body, ...caller }) =>
    abortUploads(context, scopeOf(uploaderOf(caller)), body.uploadIds),
  );

  route(app, listUploads, ({ query, ...caller }) =>
    listUnfinishedUploads(context, scopeOf(uploaderOf(caller)), query),
  );

  route(app, completeUpload, ({ params, body, ...caller }) => {
    const { transferId, fileCount, fileName, mimeType, invitationToken: _, ...settings } = body;
    return completeUploads(context, uploaderOf(caller), {
      uploadIds: [params.uploadId],
      transferId: transferId ?? undefined,
      fileCount: fileCount ?? undefined,
      fileName: fileName ?? undefined,
      mimeType: mimeType ?? undefined,
      settings,
    });
  });

  route(app, completeUploadsCall, ({ body, ...caller }) => {
    const { transferId, uploadIds, fileCount, invitationToken: _, ...settings } = body;
    return completeUploads(context, uploaderOf(caller), {
      uploadIds,
      transferId,
      fileCount: fileCount ?? undefined,
      settings,
    });
  });
}
