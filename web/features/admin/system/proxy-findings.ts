import { t } from '@lingui/core/macro';
import type { RequestSeen, SystemCheck } from '../../../../contracts/admin/system.ts';
import { CHUNK_BYTES } from '../../../../contracts/plans/limits.ts';
import { formatSize } from '../../../../contracts/values/sizes.ts';
import type { BrowserSide, MeasuredUpload } from './proxy-measurement.ts';

/** A larger offset makes links and schedules wrong. */
const CLOCK_OFF_MS = 30_000;
/** Shorter uploads don't reveal whether a proxy buffers bodies. */
const MIN_UPLOAD_MS = 1_000;
const BUFFERED_SHARE = 0.25;

const FORWARD_HEADERS = t`nginx:
proxy_set_header Host $host;
proxy_set_header X-Forwarded-Proto $scheme;
proxy_set_header X-Forwarded-For $remote_addr;
Caddy sends them by itself. Then set TRUST_PROXY to the address of the proxy.`;
const BODY_LIMIT = t`nginx: client_max_body_size 0;
Apache: LimitRequestBody 0
Traefik: no maxRequestBodyBytes in a buffering middleware.`;
const TIMEOUTS = t`nginx: client_body_timeout 300s; proxy_send_timeout 300s; proxy_read_timeout 300s;
Apache: ProxyTimeout 300 and RequestReadTimeout body=0
Traefik: respondingTimeouts.readTimeout=0`;
const NO_BUFFERING = t`nginx: proxy_request_buffering off; proxy_buffering off;
Traefik: no buffering middleware.`;

export function judgeAddress(seen: RequestSeen, browser: BrowserSide): SystemCheck[] {
  return [judgePublicUrl(seen, browser), judgeForwarding(seen, browser), judgeClock(seen, browser)];
}

function judgePublicUrl({ publicUrl }: RequestSeen, { origin }: BrowserSide): SystemCheck {
  const isSame = new URL(publicUrl).origin === origin;
  return {
    name: 'public-address',
    title: t`Public address`,
    state: isSame ? 'ok' : 'failed',
    found: isSame
      ? t`This browser is at ${origin}, as PUBLIC_URL says.`
      : t`This browser is at ${origin}, but PUBLIC_URL is ${publicUrl}. Links in emails lead there.`,
    fix: isSame ? null : t`Set PUBLIC_URL=${origin} and restart, or open this page at ${publicUrl}.`,
  };
}

function judgeForwarding(seen: RequestSeen, browser: BrowserSide): SystemCheck {
  const { protocol, host, ip, trustsProxy, forwarded } = seen;
  const isBehindProxy = Object.keys(forwarded).length > 0;
  const isRight = protocol === browser.protocol && host === browser.host;
  const isUnread = isBehindProxy && !trustsProxy;
  const arrived = t`Requests arrive as ${protocol}://${host} from ${ip}.`;
  const found = isUnread
    ? t`${arrived} There is a proxy, but its headers are not trusted, so all visitors seem to have the same address.`
    : isRight
      ? arrived
      : t`${arrived} This browser sent them to ${browser.protocol}://${browser.host}.`;
  const state = !isRight ? 'failed' : isUnread ? 'warning' : 'ok';
  return {
    name: 'forwarded-headers',
    title: t`Forwarded headers`,
    state,
    found,
    fix:
      state === 'ok'
        ? null
        : isRight
          ? t`Set TRUST_PROXY to the address of the proxy and restart.`
          : FORWARD_HEADERS,
  };
}

function judgeClock({ serverTime }: RequestSeen, { sentAt, receivedAt }: BrowserSide): SystemCheck {
  const offMs = Math.abs(Date.parse(serverTime) - (sentAt + receivedAt) / 2);
  const isRight = offMs <= CLOCK_OFF_MS;
  return {
    name: 'browser-clock',
    title: t`Clock`,
    state: isRight ? 'ok' : 'warning',
    found: isRight
      ? t`The clocks of the server and of this browser agree.`
      : t`The clocks of the server and of this browser are ${Math.round(offMs / 1000)} seconds apart.`,
    fix: isRight ? null : t`Correct whichever is wrong; on the server: timedatectl set-ntp true`,
  };
}

export function judgeUploads(uploads: MeasuredUpload[]): SystemCheck[] {
  return [judgeSize(uploads), judgeTimeouts(uploads), judgeBuffering(uploads)];
}

function judgeSize(uploads: MeasuredUpload[]): SystemCheck {
  const through = Math.max(
    0,
    ...uploads.map((upload) => ('arrivedBytes' in upload ? upload.arrivedBytes : 0)),
  );
  const refused = uploads.find((upload) => 'status' in upload && isTooLarge(upload.status));
  const base = { name: 'body-size', title: t`Body size` };
  if (!refused)
    return {
      ...base,
      state: through >= CHUNK_BYTES ? 'ok' : 'failed',
      found: t`Bodies of ${formatSize(through)} come through.`,
      fix: through >= CHUNK_BYTES ? null : BODY_LIMIT,
    };
  return {
    ...base,
    state: through >= CHUNK_BYTES ? 'warning' : 'failed',
    found: t`A body of ${formatSize(refused.sentBytes)} was refused before it reached the server; ${formatSize(through)} came through. Upload chunks have ${formatSize(CHUNK_BYTES)}, those of very large files more.`,
    fix: BODY_LIMIT,
  };
}

function isTooLarge(status: number): boolean {
  return status === 413;
}

function judgeTimeouts(uploads: MeasuredUpload[]): SystemCheck {
  const broken = uploads.find((upload) => 'status' in upload && !isTooLarge(upload.status));
  const longest = Math.max(...uploads.map(({ browserMs }) => browserMs));
  return {
    name: 'time-out',
    title: t`Time-outs`,
    state: broken ? 'failed' : 'ok',
    found: broken
      ? t`An upload of ${formatSize(broken.sentBytes)} was cut off after ${toSeconds(broken.browserMs)}${statusOf(broken)}.`
      : t`The longest upload took ${toSeconds(longest)} and was not cut off.`,
    fix: broken ? TIMEOUTS : null,
  };
}

function statusOf(upload: MeasuredUpload): string {
  return 'status' in upload && upload.status !== 0 ? t` with status ${upload.status}` : '';
}

function judgeBuffering(uploads: MeasuredUpload[]): SystemCheck {
  const slow = uploads.findLast((upload) => 'serverMs' in upload && upload.browserMs >= MIN_UPLOAD_MS);
  const speed = describeSpeed(uploads);
  const base = { name: 'buffering', title: t`Streaming` };
  if (!slow || !('serverMs' in slow))
    return {
      ...base,
      state: 'ok',
      found: t`Too fast to tell whether the proxy buffers bodies. ${speed}`,
      fix: null,
    };
  const isBuffered = slow.serverMs < slow.browserMs * BUFFERED_SHARE;
  return {
    ...base,
    state: isBuffered ? 'warning' : 'ok',
    found: isBuffered
      ? t`The proxy buffers bodies: sent in ${toSeconds(slow.browserMs)}, arrived in ${toSeconds(slow.serverMs)}. ${speed}`
      : t`Bodies arrive while they are sent. ${speed}`,
    fix: isBuffered ? NO_BUFFERING : null,
  };
}

function describeSpeed(uploads: MeasuredUpload[]): string {
  const last = uploads.findLast((upload) => 'arrivedBytes' in upload);
  if (!last) return t`Nothing came through.`;
  return t`${formatSize((last.sentBytes * 1000) / Math.max(1, last.browserMs))} a second.`;
}

function toSeconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`;
}
