import type { FastifyReply, FastifyRequest } from 'fastify';
import type { KeyScope } from '../../../../contracts/endpoint.ts';
import type { UserRow } from '../../db/schema.ts';

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
  /** null for the pending cookie that registering gives, for a visitor and for a key. */
  sessionId: string | null;
  /** The key the call was made by; what it may do has been seen to. */
  apiKey?: { id: string; scopes: KeyScope[] };
};

export type Exchange = { request: FastifyRequest; reply: FastifyReply };

/** How the features tell the machine room who calls. */
export type Authenticator = {
  /** By session cookie; undefined for who sends a key. */
  session(request: FastifyRequest): Promise<Identity | undefined>;
  /** By session cookie or by the pending cookie. */
  pending(request: FastifyRequest): Promise<Identity | undefined>;
  /**
   * By the grant of this invitation's visitor, while the invitation is open; a grant in use lives on. Throws
   * AppError `invitation_not_found`, `invitation_closed`; undefined without a valid grant.
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
   * By an API key; counts the call against the key's rate limit and says in the answer's headers how much is left.
   * Throws AppError `api_key_unknown`, `api_key_expired`, `api_key_inactive`, `email_not_verified`, `tier_required`,
   * `api_limit_exceeded`.
   */
  apiKey(
    exchange: Exchange,
    token: string,
    call: { carriesBytes: boolean },
  ): Promise<Identity & Required<Pick<Identity, 'apiKey'>>>;
};
