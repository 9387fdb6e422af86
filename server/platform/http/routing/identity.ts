import type { FastifyReply, FastifyRequest } from 'fastify';
import type { KeyScope } from '../../../../contracts/endpoint.ts';
import type { UserRow } from '../../db/schema.ts';

/** A person with a verified address who was invited to send files to a user. */
export type Visitor = {
  invitationId: string;
  visitId: string;
  email: string;
  /** The same for every visit of this address to this invitation. Marks the visitor's transfers. */
  key: string;
};

/** Who is calling. Role and tier are read per request, so a demotion applies from the next call on. */
export type Identity = {
  /** For a visitor: the user they send files to. */
  user: UserRow;
  visitor?: Visitor;
  /** null for a visitor, an API key, or the pending cookie set by registering. */
  sessionId: string | null;
  /** The API key of the call. Its scopes have been checked. */
  apiKey?: { id: string; scopes: KeyScope[] };
};

export type Exchange = { request: FastifyRequest; reply: FastifyReply };

export type Authenticator = {
  /** By session cookie; undefined if the caller sends a key. */
  session(request: FastifyRequest): Promise<Identity | undefined>;
  /** By session cookie or by the pending cookie. */
  pending(request: FastifyRequest): Promise<Identity | undefined>;
  /**
   * By the grant of this invitation's visitor, while the invitation is open. Renews a grant in use. Throws AppError
   * `invitation_not_found`, `invitation_closed`; undefined without a valid grant.
   */
  visitor(exchange: Exchange, invitationToken: string): Promise<Identity | undefined>;
  /** Whether this browser holds an unexpired grant of some invitation. Reads no database. */
  hasVisitorGrant(request: FastifyRequest): boolean;
  /**
   * Counts a call of a session or a visitor against the budget of its account; bulk calls have their own. Throws
   * AppError `call_limit_exceeded`.
   */
  countCall(exchange: Exchange, identity: Identity, call: { isBulk: boolean }): Promise<void>;
  /**
   * By API key. Counts the call against the key's rate limit and sets the response headers that say how much is left.
   * Throws AppError `api_key_unknown`, `api_key_expired`, `api_key_inactive`, `email_not_verified`, `tier_required`,
   * `api_limit_exceeded`.
   */
  apiKey(
    exchange: Exchange,
    token: string,
    call: { carriesBytes: boolean },
  ): Promise<Identity & Required<Pick<Identity, 'apiKey'>>>;
};
