import { RETENTION } from '../../../contracts/transfers/retention.ts';
import type { Context } from '../../context.ts';
import { readSignedValue, type Secrets, type Signing, signValue } from '../../platform/http/signed-value.ts';
import { HOUR_MS } from '../../platform/lib/clock.ts';

export const TICKET_LIFETIME_MS = RETENTION.downloadTicketHours * HOUR_MS;

/** What a download is of: one file by its id, some files as a zip, or (both null) all of them as a zip. */
export type Downloaded = {
  transferId: string;
  fileId: string | null;
  /** As `encodeSelection` writes it. */
  selection: string | null;
};

/** Proves that a download of exactly this was counted, so that its holder may go on after a break. */
export function issueTicket(
  { clock, secret }: Pick<Context, 'clock' | 'secret'>,
  downloaded: Downloaded,
  downloadId: string,
): string {
  return signValue(ticketSigning({ secret }, downloaded), downloadId, clock.now() + TICKET_LIFETIME_MS);
}

/** The id of the counted download, or undefined when the ticket is forged, stale or for something else. */
export function readTicket(
  { clock, ...secrets }: Secrets & Pick<Context, 'clock'>,
  downloaded: Downloaded,
  ticket: string | undefined,
): string | undefined {
  return ticket === undefined
    ? undefined
    : readSignedValue(ticketSigning(secrets, downloaded), ticket, clock.now());
}

function ticketSigning(
  { secret, previousSecret }: Secrets,
  { transferId, fileId, selection }: Downloaded,
): Signing {
  const bindings = [transferId, fileId ?? 'zip', ...(selection === null ? [] : [selection])];
  return { secret, previousSecret, purpose: 'download-ticket', bindings };
}
