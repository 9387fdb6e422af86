import { pipeline, type Readable } from 'node:stream';
import { promisify } from 'node:util';
import {
  type BrotliOptions,
  brotliCompress,
  constants,
  createBrotliCompress,
  createGzip,
  gzip,
  type ZlibOptions,
} from 'node:zlib';
import type { FastifyRequest } from 'fastify';
import type { Endpoint } from '../../../../contracts/endpoint.ts';
import { KIB } from '../../../../contracts/values/sizes.ts';

/** Best first. */
const ENCODINGS = ['br', 'gzip'] as const;
export type Encoding = (typeof ENCODINGS)[number];

/** Smaller responses fit into a packet anyway. */
export const COMPRESS_FROM = KIB;

/** 1,000 files: 23 % of the bytes in 1.5 ms. Quality 4 saves 1 % of that and takes twice as long. */
const BROTLI: BrotliOptions = { params: { [constants.BROTLI_PARAM_QUALITY]: 2 } };
/** 25 % of the bytes. */
const GZIP: ZlibOptions = { level: 1 };

const brotli = promisify<string, BrotliOptions, Buffer>(brotliCompress);
const zip = promisify<string, ZlibOptions, Buffer>(gzip);

/** On the thread pool. */
export function compressText(text: string, encoding: Encoding): Promise<Buffer> {
  return encoding === 'br' ? brotli(text, BROTLI) : zip(text, GZIP);
}

export function compressStream(source: Readable, encoding: Encoding): Readable {
  const compressor = encoding === 'br' ? createBrotliCompress(BROTLI) : createGzip(GZIP);
  return pipeline(source, compressor, () => undefined);
}

/**
 * Whether the size of a compressed response can tell nobody a secret in it (docs/decisions/0036): no other site can
 * make a browser send this request, or the response contains no secret.
 */
export function mayCompress({ compressible }: Endpoint, { headers }: FastifyRequest): boolean {
  return compressible ?? (headers['sec-fetch-site'] === 'same-origin' || headers.authorization !== undefined);
}

/** RFC 9110 §12.5.3, without weighing: undefined if the client accepts neither. */
export function findEncoding({ headers }: FastifyRequest): Encoding | undefined {
  const accepted = String(headers['accept-encoding'] ?? '')
    .toLowerCase()
    .split(',')
    .map((each) => each.split(';').map((part) => part.trim()))
    .filter(([, weight]) => !/^q=0(\.0*)?$/.test(weight ?? ''))
    .map(([name]) => name);
  return ENCODINGS.find((encoding) => accepted.includes(encoding));
}
