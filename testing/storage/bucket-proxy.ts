import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  request as openRequest,
  type ServerResponse,
} from 'node:http';
import { buffer } from 'node:stream/consumers';
import { crc32 } from 'node:zlib';
import { S3 } from '@aws-sdk/client-s3';
import type { S3Server } from './s3-server.ts';

export type BucketRequest = { method: string; url: string; headers: IncomingHttpHeaders };

type Options = {
  /** Origins whose pages may send to the bucket. `*` allows all. */
  origins?: string[];
  /** Whether to verify `x-amz-checksum-crc32` of bodies, as Amazon does; Swift ignores it. */
  checksums?: boolean;
};

export type BucketProxy = {
  endpoint: string;
  origins: string[];
  checksums: boolean;
  seen: BucketRequest[];
  /** Refuses the parts for which it returns true. */
  refuse: ((request: BucketRequest) => boolean) | undefined;
  stop(): Promise<void>;
};

/**
 * Starts a loopback proxy in front of a real S3 server that adds what the server lacks: CORS and verified checksums.
 * It keeps the Host header, which S3 signs.
 */
export async function startBucketProxy(behind: S3Server, options: Options = {}): Promise<BucketProxy> {
  const { endpoint, region, accessKeyId, secretAccessKey } = behind;
  const credentials = { accessKeyId, secretAccessKey };
  const client = new S3({ endpoint, region, credentials, forcePathStyle: true });
  const server = createServer((request, response) => {
    const exchange = { request, response, target: new URL(behind.endpoint), client };
    serve(proxy, exchange).catch(() => request.socket.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  const proxy: BucketProxy = {
    endpoint: `http://127.0.0.1:${port}`,
    origins: options.origins ?? [],
    checksums: options.checksums ?? false,
    seen: [],
    refuse: undefined,
    stop: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
        client.destroy();
      }),
  };
  return proxy;
}

type Exchange = { request: IncomingMessage; response: ServerResponse; target: URL; client: S3 };

async function serve(proxy: BucketProxy, exchange: Exchange): Promise<void> {
  const { request, response } = exchange;
  const { method = '', url = '', headers } = request;
  const seen = { method, url, headers };
  proxy.seen.push(seen);
  const origin = headers.origin;
  const isAllowed = origin !== undefined && ['*', origin].some((each) => proxy.origins.includes(each));
  if (isAllowed) response.setHeader('access-control-allow-origin', origin);
  if (method === 'OPTIONS') {
    if (!isAllowed) return void response.writeHead(403).end();
    const asked = headers['access-control-request-headers'] ?? '';
    response.writeHead(200, { 'access-control-allow-methods': 'PUT', 'access-control-allow-headers': asked });
    return void response.end();
  }
  const sum = headers['x-amz-checksum-crc32'];
  if (proxy.refuse?.(seen)) return refuse(exchange, 'SlowDown');
  const isJoining = method === 'POST' && url.includes('uploadId=');
  if (!proxy.checksums || !(isJoining || (method === 'PUT' && sum))) return forward(exchange, undefined);
  const body = await buffer(request);
  if (isJoining && body.includes('ChecksumCRC32')) return joinParts(exchange, body.toString());
  if (isJoining) return forward(exchange, body);
  if (encode(crc32(body)) === sum) forward(exchange, body);
  else refuse(exchange, 'BadDigest');
}

/** Repeats the request without checksums, which Swift does not accept in the list of parts. */
async function joinParts({ request, response, client }: Exchange, xml: string): Promise<void> {
  const { pathname, searchParams } = new URL(request.url!, 'http://bucket');
  const [, bucket = '', ...key] = pathname.split('/');
  const parts = [...xml.matchAll(/<Part>(.*?)<\/Part>/gs)].map(([, part = '']) => {
    if (!part.includes('<ChecksumCRC32>')) throw new Error('The list must have a sum for each part');
    const etag = /<ETag>(.*?)<\/ETag>/.exec(part)![1]!.replaceAll('&quot;', '"');
    return { PartNumber: Number(/<PartNumber>(\d+)</.exec(part)![1]), ETag: etag };
  });
  const target = { Bucket: bucket, Key: decodeURIComponent(key.join('/')) };
  const input = { ...target, UploadId: searchParams.get('uploadId')!, MultipartUpload: { Parts: parts } };
  const answer = await client.completeMultipartUpload(input).catch((error: Error) => error);
  const isDone = !(answer instanceof Error);
  response.writeHead(isDone ? 200 : 400, { 'content-type': 'application/xml' });
  const result = isDone
    ? `<CompleteMultipartUploadResult><ETag>${answer.ETag}</ETag></CompleteMultipartUploadResult>`
    : `<Error><Code>${answer.name}</Code></Error>`;
  response.end(`<?xml version="1.0"?>${result}`);
}

function refuse({ request, response }: Exchange, code: string): void {
  request.resume();
  response.writeHead(code === 'SlowDown' ? 503 : 400, { 'content-type': 'application/xml' });
  response.end(`<?xml version="1.0"?><Error><Code>${code}</Code></Error>`);
}

function forward({ request, response, target }: Exchange, body: Buffer | undefined): void {
  const { method, url, headers } = request;
  const to = { host: target.hostname, port: target.port, method, path: url, headers, agent: false };
  const onward = openRequest(to, (answer) => {
    response.writeHead(answer.statusCode ?? 502, answer.headers);
    // Swift sends an empty chunk after the headers of a 404 to HEAD, which would be a parse error for the client.
    if (method === 'HEAD') response.end();
    else answer.pipe(response);
  });
  onward.on('error', () => {
    if (!response.headersSent) request.socket.destroy();
  });
  response.on('close', () => onward.destroy());
  if (body) onward.end(body);
  else request.pipe(onward);
}

function encode(sum: number): string {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(sum);
  return bytes.toString('base64');
}
