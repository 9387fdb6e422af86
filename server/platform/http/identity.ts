import type { FastifyRequest } from 'fastify';
import type { UserRow } from '../db/schema.ts';

/** Who is calling. Role and tier are read per request, so a demotion holds from the next call on. */
export type Identity = {
  user: UserRow;
  /** null for the pending cookie that registering gives. */
  sessionId: string | null;
};

/** How the accounts feature tells the machine room who calls. */
export type Authenticator = {
  /** By session cookie. */
  session(request: FastifyRequest): Promise<Identity | undefined>;
  /** By session cookie or by the pending cookie. */
  pending(request: FastifyRequest): Promise<Identity | undefined>;
};
