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
  route(app, listHeldFilesCall, ({ query }) => listHeldFiles(context, query));

  route(app, releaseHeldFileCall, (call) =>
    releaseHeldFile(context, {
      id: call.params.id,
      reason: call.body.reason,
      by: byCaller(context, call),
    }),
  );

  route(app, reviewFilesCall, ({ query: { transferId } }) => reviewFiles(context, transferId));

  route(app, listBlockedContentsCall, ({ query }) => listBlockedContents(context, query));

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
