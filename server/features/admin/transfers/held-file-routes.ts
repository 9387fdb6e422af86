import type { FastifyInstance } from 'fastify';
import {
  blockContent as blockContentCall,
  listBlockedContents as listBlockedContentsCall,
  listHeldFiles as listHeldFilesCall,
  releaseHeldFile as releaseHeldFileCall,
  reviewFiles as reviewFilesCall,
  unblockContent as unblockContentCall,
} from '../../../../contracts/admin/scanning.ts';
import type { Context } from '../../../context.ts';
import { linkNextPage } from '../../../platform/http/routing/next-page.ts';
import { route } from '../../../platform/http/routing/route.ts';
import { byCaller } from '../audit.ts';
import {
  blockContent,
  listBlockedContents,
  listHeldFiles,
  releaseHeldFile,
  reviewFiles,
  unblockContent,
} from './held-files.ts';

export function heldFileRoutes(app: FastifyInstance, context: Context): void {
  route(app, listHeldFilesCall, async ({ query, reply }) => {
    const { files, next } = await listHeldFiles(context, query);
    linkNextPage(reply, next);
    return files;
  });

  route(app, releaseHeldFileCall, (call) =>
    releaseHeldFile(context, {
      id: call.params.id,
      reason: call.body.reason,
      by: byCaller(context, call),
    }),
  );

  route(app, reviewFilesCall, ({ query: { transferId } }) => reviewFiles(context, transferId));

  route(app, listBlockedContentsCall, async ({ query, reply }) => {
    const { contents, next } = await listBlockedContents(context, query);
    linkNextPage(reply, next);
    return contents;
  });

  route(app, blockContentCall, (call) =>
    blockContent(context, {
      id: call.body.fileId,
      reason: call.body.reason,
      by: byCaller(context, call),
    }),
  );

  route(app, unblockContentCall, (call) =>
    unblockContent(context, { id: call.params.id, by: byCaller(context, call) }),
  );
}
