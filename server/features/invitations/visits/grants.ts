import type { FastifyReply, FastifyRequest } from 'fastify';
import { RETENTION } from '../../../../contracts/transfers/retention.ts';
import { DAY_MS, HOUR_MS, SECOND_MS } from '../../../../contracts/values/durations.ts';
import type { Context } from '../../../context.ts';
import type { InvitationRow, VisitRow } from '../../../platform/db/schema.ts';
import type { Identity, Visitor } from '../../../platform/http/routing/identity.ts';
import {
  isHttps,
  plainCookieName,
  readSecureCookie,
  secureCookieName,
} from '../../../platform/http/security/secure-cookies.ts';
import {
  readSignedValue,
  type Secrets,
  type Signing,
  signValue,
} from '../../../platform/http/security/signed-value.ts';
import { findVisit, openInvitation } from '../open-invitation.ts';

const GRANT_LIFETIME_MS = RETENTION.visitorCookieHours * HOUR_MS;
/** After this time the visitor must verify the address again to continue. */
const VISIT_LIFETIME_MS = DAY_MS;

type Exchange = { request: FastifyRequest; reply: FastifyReply };
type Deps = Pick<Context, 'config' | 'secret' | 'clock'>;

/** Allows this browser to upload to this invitation as this visitor, for one hour. */
export function setVisitorCookie(
  { config, secret, clock }: Deps,
  reply: FastifyReply,
  { invitation, visitId }: { invitation: Pick<InvitationRow, 'id'>; visitId: string },
): void {
  const value = signValue(grantSigning({ secret }, invitation), visitId, clock.now() + GRANT_LIFETIME_MS);
  reply.setCookie(secureCookieName(config, cookieName(invitation)), value, {
    ...attributesOf(config),
    maxAge: GRANT_LIFETIME_MS / SECOND_MS,
  });
}

/**
 * The visitor of a request with a valid grant while the invitation is open; renews the grant. Returns undefined if
 * there is none, or if it is forged, expired or for another invitation. Throws AppError `invitation_not_found`,
 * `invitation_closed`.
 */
export async function identifyVisitor(
  context: Context,
  { request, reply }: Exchange,
  token: string,
): Promise<Identity | undefined> {
  const { invitation, inviter } = await openInvitation(context, token);
  const visit = await readVisit(context, request, invitation);
  if (!visit) return undefined;
  if (visit.isAging) setVisitorCookie(context, reply, { invitation, visitId: visit.row.id });
  return { user: inviter, sessionId: null, visitor: describeVisitor(invitation, visit.row) };
}

export async function findVisitor(
  context: Secrets & Pick<Context, 'db' | 'clock'>,
  request: FastifyRequest,
  invitation: InvitationRow,
): Promise<Visitor | undefined> {
  const visit = await readVisit(context, request, invitation);
  return visit && describeVisitor(invitation, visit.row);
}

/** Whether this browser has an unexpired grant of any invitation. Doesn't read the database. */
export function hasVisitorGrant(
  { clock, ...secrets }: Secrets & Pick<Context, 'clock'>,
  { cookies }: FastifyRequest,
): boolean {
  const now = clock.now();
  return Object.entries(cookies).some(([name, grant]) => {
    const id = VISITOR_COOKIE.exec(plainCookieName(name))?.[1];
    return id !== undefined && readSignedValue(grantSigning(secrets, { id }), grant, now) !== undefined;
  });
}

async function readVisit(
  { db, clock, ...secrets }: Secrets & Pick<Context, 'db' | 'clock'>,
  request: FastifyRequest,
  invitation: Pick<InvitationRow, 'id'>,
): Promise<{ row: VisitRow; isAging: boolean } | undefined> {
  const now = clock.now();
  const grant = readSecureCookie(request, cookieName(invitation));
  const visitId = readSignedValue(grantSigning(secrets, invitation), grant, now);
  const row = visitId === undefined ? undefined : await findVisit(db, visitId);
  if (!row || row.invitationId !== invitation.id) return undefined;
  if (row.verifiedAt === null || row.verifiedAt + VISIT_LIFETIME_MS <= now) return undefined;
  // A grant that is valid now but not half a lifetime from now is in its second half.
  const isAging = !readSignedValue(grantSigning(secrets, invitation), grant, now + GRANT_LIFETIME_MS / 2);
  return { row, isAging };
}

function describeVisitor(invitation: Pick<InvitationRow, 'id'>, visit: VisitRow): Visitor {
  return {
    invitationId: invitation.id,
    visitId: visit.id,
    email: visit.recipientEmail,
    key: `${invitation.id} ${visit.emailKey}`,
  };
}

function grantSigning({ secret, previousSecret }: Secrets, { id }: Pick<InvitationRow, 'id'>): Signing {
  return { secret, previousSecret, purpose: 'visitor', bindings: [id] };
}

const VISITOR_COOKIE = /^visitor-([0-9a-z]+)$/;

function cookieName({ id }: Pick<InvitationRow, 'id'>): string {
  return `visitor-${id}`;
}

/** The path covers the invitation's own calls and the upload calls. */
function attributesOf({ publicUrl }: Context['config']) {
  return { path: '/api', httpOnly: true, sameSite: 'lax', secure: isHttps(publicUrl) } as const;
}
