import { randomBytes } from 'node:crypto';
import { isIP } from 'node:net';
import { crc32 } from 'node:zlib';
import { MINUTE_MS, SECOND_MS } from '../../../../contracts/values/durations.ts';
import { KIB } from '../../../../contracts/values/sizes.ts';
import type { Log } from '../../lib/logging/log.ts';
import { randomId } from '../../lib/tokens.ts';
import { type DirectAccess, DirectRefusal, type SignedRead } from '../blob-store.ts';
import type { PartNote } from '../s3/part-notes.ts';
import { encodeCrc32 } from '../s3/s3-client.ts';
import type { S3Objects } from '../s3/s3-objects.ts';

const PROBE_BYTES = 4 * KIB;
const ANSWER_MS = 10 * SECOND_MS;
const CRC_HEADER = 'x-amz-checksum-crc32';

type PartAddress = {
  storageKey: string;
  multipartId: string;
  number: number;
  sizeBytes: number;
  crc32: number;
};

export type Signer = {
  part(part: PartAddress): Promise<string>;
  read(storageKey: string, head: SignedRead): Promise<string>;
};

type Bucket = { origin: string; signer: Signer; objects: S3Objects };

type Probe = Bucket & {
  pageOrigin: string;
  storageKey: string;
  multipartId: string;
  bytes: Buffer<ArrayBuffer>;
  url: string;
};

/**
 * Uploads and downloads a probe as pages would, also in ways that the bucket must refuse, then deletes it.
 * Throws DirectRefusal with the finding and the fix.
 */
export async function verifyDirectAccess(bucket: Bucket, pageOrigin: string): Promise<void> {
  requireReachable(bucket.origin, pageOrigin);
  const storageKey = randomId();
  let multipartId: string | undefined;
  try {
    multipartId = await bucket.objects.beginMultipart(storageKey, true);
    const bytes = Buffer.from(randomBytes(PROBE_BYTES));
    const part = { storageKey, multipartId, number: 1, sizeBytes: bytes.length, crc32: crc32(bytes) };
    const url = await bucket.signer.part(part);
    const probe = { ...bucket, pageOrigin, storageKey, multipartId, bytes, url };
    await verifyCors(probe);
    await verifyRefusal(probe);
    const etag = await verifySending(probe);
    await verifyReading(probe, { index: 0, sizeBytes: bytes.length, crc32: part.crc32, etag });
  } catch (error) {
    throw toRefusal(error);
  } finally {
    await tidyUp(bucket, storageKey, multipartId).catch(() => undefined);
  }
}

/** An https page cannot load from http, nor from a host that only this server can resolve. */
function requireReachable(origin: string, pageOrigin: string): void {
  const [bucket, page] = [new URL(origin), new URL(pageOrigin)];
  const isMixed = page.protocol === 'https:' && bucket.protocol === 'http:';
  if (!isMixed && (!isLoopback(bucket.hostname) || isLoopback(page.hostname))) return;
  throw new DirectRefusal(`Browsers of ${pageOrigin} cannot reach ${origin}.`, {
    fix: 'Set S3_ENDPOINT to the address at which browsers reach the store, with https if PUBLIC_URL has it.',
  });
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '[::1]' || (isIP(host) === 4 && host.startsWith('127.'));
}

async function verifyCors({ url, pageOrigin }: Probe): Promise<void> {
  const answer = await sendRequest(url, {
    method: 'OPTIONS',
    headers: {
      origin: pageOrigin,
      'access-control-request-method': 'PUT',
      'access-control-request-headers': CRC_HEADER,
    },
  });
  const allows = (name: string, wanted: string) => {
    const listed = (answer.headers.get(`access-control-allow-${name}`) ?? '').toLowerCase().split(/\s*,\s*/);
    return listed.includes('*') || listed.includes(wanted.toLowerCase());
  };
  if (answer.ok && allows('origin', pageOrigin) && allows('methods', 'PUT') && allows('headers', CRC_HEADER))
    return;
  throw corsRefusal(
    `The bucket does not let pages of ${pageOrigin} upload to it (preflight ${answer.status}).`,
    {
      pageOrigin,
    },
  );
}

async function verifyRefusal(probe: Probe): Promise<void> {
  const other = Buffer.from(probe.bytes);
  other[0]! ^= 1;
  if (!(await put(probe, other)).ok) return;
  throw new DirectRefusal('The store accepts other bytes than were signed.', {
    fix: `The store must refuse a part whose bytes don't match its ${CRC_HEADER}, but this one ignores the header. Leave S3_DIRECT off with it: files then go through this server, which checks every byte.`,
  });
}

async function verifySending(probe: Probe): Promise<string> {
  const sent = await put(probe, probe.bytes);
  if (!sent.ok) {
    throw new DirectRefusal(`The store refuses a signed part with ${sent.status}: ${await reasonOf(sent)}`, {
      fix: 'Allow the key s3:PutObject in this bucket. Proxies in between must not change the Host header or the query.',
    });
  }
  const allowed = sent.headers.get('access-control-allow-origin');
  if (allowed !== '*' && allowed !== probe.pageOrigin)
    throw corsRefusal('The bucket accepts a part but hides its ETag from the page.', probe);
  const { storageKey, multipartId, bytes } = probe;
  for await (const part of probe.objects.listParts({ storageKey, multipartId })) {
    if (part.sizeBytes === bytes.length) return part.etag;
  }
  throw new DirectRefusal('The store does not list a part that it accepted.', {
    fix: 'Allow the key s3:ListMultipartUploadParts in this bucket.',
  });
}

async function verifyReading(probe: Probe, part: PartNote): Promise<void> {
  const { storageKey, multipartId, bytes, objects } = probe;
  const outcome = await objects.complete(storageKey, { multipartId, carriesCrc32: true }, [part]);
  const head = { contentType: 'application/x-probe', contentDisposition: 'attachment; filename="probe"' };
  const answer = await sendRequest(await probe.signer.read(storageKey, head), {
    headers: { range: 'bytes=100-299' },
  });
  const body = Buffer.from(await answer.arrayBuffer());
  const isRight =
    outcome === 'done' &&
    answer.status === 206 &&
    body.equals(bytes.subarray(100, 300)) &&
    answer.headers.get('content-type') === head.contentType &&
    answer.headers.get('content-disposition') === head.contentDisposition;
  if (isRight) return;
  throw new DirectRefusal(
    `A signed download with Range is answered with status ${answer.status} or with other bytes or headers.`,
    {
      fix: 'The store must honor Range, response-content-type and response-content-disposition in signed URLs. Leave S3_DIRECT off with this one.',
    },
  );
}

function put({ url, pageOrigin, bytes }: Probe, body: Buffer<ArrayBuffer>): Promise<Response> {
  const headers = { origin: pageOrigin, [CRC_HEADER]: encodeCrc32(crc32(bytes)) };
  return sendRequest(url, { method: 'PUT', headers, body: new Uint8Array(body) });
}

function sendRequest(url: string, init: RequestInit): Promise<Response> {
  return fetch(url, { ...init, redirect: 'manual', signal: AbortSignal.timeout(ANSWER_MS) });
}

async function reasonOf(answer: Response): Promise<string> {
  const text = await answer.text().catch(() => '');
  return /<Code>(\w+)<\/Code>/.exec(text)?.[1] ?? 'no reason given';
}

function corsRefusal(found: string, { pageOrigin }: { pageOrigin: string }): DirectRefusal {
  const rule = {
    AllowedOrigins: [pageOrigin],
    AllowedMethods: ['PUT'],
    AllowedHeaders: [CRC_HEADER],
    MaxAgeSeconds: 3600,
  };
  return new DirectRefusal(found, {
    fix: `Give the bucket this CORS configuration: ${JSON.stringify([rule])}`,
  });
}

function toRefusal(error: unknown): DirectRefusal {
  if (error instanceof DirectRefusal) return error;
  const reason = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  return new DirectRefusal(`Direct access to the bucket could not be verified: ${String(reason)}`, {
    cause: error,
    fix: 'Make sure that the storage check passes. Sendwell tries again every few minutes.',
  });
}

async function tidyUp({ objects }: Bucket, storageKey: string, multipartId?: string): Promise<void> {
  if (multipartId !== undefined) await objects.abortMultipart(storageKey, multipartId);
  await objects.remove(storageKey);
}

const RETRY_MS = 5 * MINUTE_MS;

type Verification = { direct: DirectAccess; publicUrl: string; log: Log };

/** Retries until direct access is open. Logs only the first refusal. Returns a function that stops it. */
export function enableDirectAccessWhenVerified({ direct, publicUrl, log }: Verification): () => void {
  let hasLogged = false;
  const probe = async () => {
    try {
      await direct.verify(new URL(publicUrl).origin);
      clearInterval(timer);
      log.info({ bucket: direct.origin }, 'browsers now upload to and download from the bucket directly');
    } catch (error) {
      const { message, fix } = error as DirectRefusal;
      if (!(error instanceof DirectRefusal))
        log.error({ err: error }, 'direct access to the bucket could not be verified');
      else if (!hasLogged) log.warn({ fix }, `S3_DIRECT is on, but bytes go through this server: ${message}`);
      hasLogged = true;
    }
  };
  const timer = setInterval(() => void probe(), RETRY_MS).unref();
  void probe();
  return () => clearInterval(timer);
}
