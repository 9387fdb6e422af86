import type { FastifyInstance } from 'fastify';
import {
  ARRIVING_TRANSFERS_SHOWN,
  listArriving,
  publishTransfer as publishCall,
} from '../../../../contracts/transfers/arrival.ts';
import type { Context } from '../../../context.ts';
import { route } from '../../../platform/http/routing/route.ts';
import { toIso } from '../../../platform/lib/clock.ts';
import { listOwnArrivals } from '../../transfers/index.ts';
import { uploaderOf } from '../core/uploader.ts';
import { publishTransfer } from './publish.ts';

export function arrivalRoutes(app: FastifyInstance, context: Context): void {
  route(app, publishCall, ({ params: { id: transferId }, body, user, request }) => {
    const { expectedFiles, ...settings } = body;
    const uploader = uploaderOf({ user, visitor: undefined, request });
    return publishTransfer(context, uploader, { transferId, expectedFiles, settings });
  });

  route(app, listArriving, async ({ user }) => {
    const rows = await listOwnArrivals(context.db, user.id, ARRIVING_TRANSFERS_SHOWN);
    return rows.map((row) => ({
      id: row.id,
      token: row.token,
      title: row.title,
      firstFileName: row.firstFileName,
      publishedAt: toIso(Number(row.publishedAt)),
      fileCount: row.expectedFiles ?? row.fileCount,
      arrivedFiles: row.fileCount,
      totalSize: row.reservedBytes,
      isStopped: row.status === 'draft',
    }));
  });
}
