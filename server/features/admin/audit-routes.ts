import type { FastifyInstance } from 'fastify';
import { listAudit as listAuditCall } from '../../../contracts/admin/audit.ts';
import type { Context } from '../../context.ts';
import { route } from '../../platform/http/route.ts';
import { listAudit } from './audit.ts';

export function auditRoutes(app: FastifyInstance, context: Context): void {
  route(app, listAuditCall, async ({ query, request, reply }) => {
    const { entries, next } = await listAudit(context, query, () => request.raw.socket.destroyed);
    if (next) reply.header('link', `<${next}>; rel="next"`);
    return entries;
  });
}
