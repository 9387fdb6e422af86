import type { FastifyRequest } from 'fastify';

/** Whether the caller is the owner, looking at a transfer of their own. Costs nothing without a session. */
export async function isOwnVisit(request: FastifyRequest, ownerId: string): Promise<boolean> {
  const identity = await request.server.authenticator.session(request);
  return identity?.user.id === ownerId;
}
