import type { FastifyReply, FastifyRequest } from 'fastify';
import type { SignInMethod } from '../../../../contracts/accounts/sign-in/sign-in.ts';
import type { KeyScope } from '../../../../contracts/endpoint.ts';
import type { UserRow } from '../../db/schema.ts';

/** A person with a verified address, invited to send files to a user. */
export type Visitor = {
  invitationId: string;
  visitId: string;
  email: string;
  /** The same for every visit of this address to this invitation. */
  key: string;
};

/** How and when the user of a session last proved who they are. */
export type Authentication = { methods: readonly SignInMethod[]; at: number };

/** Role and tier are read per request, so a demotion applies from the next call on. */
export type Identity = {
  user: UserRow;
  visitor?: Visitor;
  /** Null for a visitor, an API key, or the pending cookie set by registering. */
  sessionId: string | null;
  /** Present exactly with a session. */
  authentication?: Authentication;
  /** Its scopes have been checked. */
  apiKey?: { id: string; scopes: KeyScope[] };
};

export type Exchange = { request: FastifyRequest; reply: FastifyReply };

export type Authenticator = {
  /** Undefined if the caller sends a key. */
  session(request: FastifyRequest): Promise<Identity | undefined>;
  pending(request: FastifyRequest): Promise<Identity | undefined>;
  /**
   * Undefined without a valid grant. Renews a grant in use. Throws AppError `invitation_not_found`,
   * `invitation_closed`.
   */
  visitor(exchange: Exchange, invitationToken: string): Promise<Identity | undefined>;
  /** Whether the user may only set up a second factor, because the administrator requires one. */
  mustAddFactor(identity: Identity): Promise<boolean>;
  /** Throws AppError `step_up_required` unless the session's user proved recently who they are. */
  requireStepUp(identity: Identity): void;
  hasVisitorGrant(request: FastifyRequest): boolean;
  /**
   * Counts the call against the account's budget; bulk calls have their own. Throws AppError
   * `call_limit_exceeded`.
   */
  countCall(exchange: Exchange, identity: Identity, call: { isBulk: boolean }): Promise<void>;
  /**
   * Counts the call against the key's rate limit and sets its headers. Throws AppError `api_key_unknown`,
   * `api_key_expired`, `api_key_inactive`, `email_not_verified`, `tier_required`, `api_limit_exceeded`.
   */
  apiKey(
    exchange: Exchange,
    token: string,
    call: { carriesBytes: boolean },
  ): Promise<Identity & Required<Pick<Identity, 'apiKey'>>>;
};
