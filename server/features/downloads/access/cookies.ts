import type { FastifyReply, FastifyRequest } from 'fastify';
import { RETENTION } from '../../../../contracts/transfers/retention.ts';
import { plainSharePath } from '../../../../contracts/values/addresses/links.ts';
import { HOUR_MS, SECOND_MS } from '../../../../contracts/values/durations.ts';
import type { Context } from '../../../context.ts';
import {
  isHttps,
  readSecureCookie,
  secureCookieName,
} from '../../../platform/http/security/secure-cookies.ts';
import {
  readSignedValue,
  type Secrets,
  type Signing,
  signValue,
} from '../../../platform/http/security/signed-value.ts';
import { GRANT_LIFETIME_MS } from './access.ts';

const GRANT = 'download-grant';
const TICKET = 'download-ticket';

type Exchange = { request: FastifyRequest; reply: FastifyReply };
type Cookie = { name: string; value: string; path: string; lifetimeMs: number };

export function readGrant(request: FastifyRequest): string | undefined {
  return readSecureCookie(request, GRANT);
}

/** Scoped to this transfer's API calls and its page for browsers without scripts. */
export function setGrantCookies(
  context: Context,
  reply: FastifyReply,
  { token, grant }: { token: string; grant: string },
): void {
  for (const path of [`/api/download/${token}`, plainSharePath(token)]) {
    setCookie(context, reply, { name: GRANT, value: grant, path, lifetimeMs: GRANT_LIFETIME_MS });
  }
}

export function readTicketCookie(request: FastifyRequest): string | undefined {
  return readSecureCookie(request, TICKET);
}

export function setTicketCookie(context: Context, { request, reply }: Exchange, ticket: string): void {
  const path = request.url.split('?', 1)[0]!;
  setCookie(context, reply, { name: TICKET, value: ticket, path, lifetimeMs: TICKET_LIFETIME_MS });
}

/** Sets the header itself: byte responses bypass the Fastify hook that writes the cookies of `reply.cookie`. */
function setCookie(
  { config }: Context,
  reply: FastifyReply,
  { name, value, path, lifetimeMs }: Cookie,
): void {
  const secure = isHttps(config.publicUrl);
  const options = { path, maxAge: lifetimeMs / SECOND_MS, httpOnly: true, sameSite: 'lax', secure } as const;
  reply.header('set-cookie', reply.server.serializeCookie(secureCookieName(config, name), value, options));
}

const TICKET_LIFETIME_MS = RETENTION.downloadTicketHours * HOUR_MS;

/** One file, a selection as a zip, or (both null) all files as a zip. */
export type DownloadContent = {
  transferId: string;
  fileId: string | null;
  selection: string | null;
};

/** Proves that this download was counted, so that the client can resume it without another count. */
export function issueTicket(
  { clock, secret }: Pick<Context, 'clock' | 'secret'>,
  downloaded: DownloadContent,
  downloadId: string,
): string {
  return signValue(ticketSigning({ secret }, downloaded), downloadId, clock.now() + TICKET_LIFETIME_MS);
}

/** Returns undefined if the ticket is forged, expired or for other content. */
export function readTicket(
  { clock, ...secrets }: Secrets & Pick<Context, 'clock'>,
  downloaded: DownloadContent,
  ticket: string | undefined,
): string | undefined {
  return ticket === undefined
    ? undefined
    : readSignedValue(ticketSigning(secrets, downloaded), ticket, clock.now());
}

function ticketSigning(
  { secret, previousSecret }: Secrets,
  { transferId, fileId, selection }: DownloadContent,
): Signing {
  const bindings = [transferId, fileId ?? 'zip', ...(selection === null ? [] : [selection])];
  return { secret, previousSecret, purpose: 'download-ticket', bindings };
}
