import type { FastifyReply, FastifyRequest } from 'fastify';
import type { UserRow } from '../db/schema.ts';

/** Somebody who has proved an address and was invited to send files to a user. */
export type Visitor = {
  invitationId: string;
  visitId: string;
  /** The proved address. */
  email: string;
  /** The same for each visit of this address to this invitation: marks what is theirs. */
  key: string;
};

/** Who is calling. Role and tier are read per request, so a demotion holds from the next call on. */
export type Identity = {
  /** For a visitor: whom they send files to. */
  user: UserRow;
  visitor?: Visitor;
  /** null for the pending cookie that registering gives, and for a visitor. */
  sessionId: string | null;
};

type Exchange = { request: FastifyRequest; reply: FastifyReply };

/** How the features tell the machine room who calls. */
export type Authenticator = {
  /** By session cookie. */
  session(request: FastifyRequest): Promise<Identity | undefined>;
  /** By session cookie or by the pending cookie. */
  pending(request: FastifyRequest): Promise<Identity | undefined>;
  /**
   * By the grant of this invitation's visitor, while the invitation is open; a grant in use lives on. Throws
   * AppError `invitation_not_found`, `invitation_closed`; undefined without a valid grant.
   */
  visitor(exchange: Exchange, invitationToken: string): Promise<Identity | undefined>;
};
