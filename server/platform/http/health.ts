import type { FastifyInstance } from 'fastify';
import { sql } from 'kysely';
import { getHealth, getReadiness } from '../../../contracts/health.ts';
import type { Db } from '../db/open.ts';
import { AppError } from '../lib/app-error.ts';
import type { BlobStore } from '../storage/blob-store.ts';
import { route } from './route.ts';

const OK = { status: 'ok' } as const;

export function healthRoutes(app: FastifyInstance, { db, blobs }: { db: Db; blobs: BlobStore }): void {
  route(app, getHealth, async () => OK);
  route(app, getReadiness, async () => {
    try {
      await Promise.all([sql`select 1`.execute(db), blobs.check()]);
    } catch (cause) {
      throw new AppError('unavailable', { cause });
    }
    return OK;
  });
}
