import type { IncomingMessage } from 'node:http';
import type { Problem } from '../../contracts/errors.ts';
import { EXIT } from '../exits.ts';

/** A refusal of the server; the message is its sentence. */
export class ApiError extends Error {
  override name = 'ApiError';
  readonly status: number;
  readonly problem: Partial<Problem>;
  /** From Retry-After. */
  readonly retryAfterSeconds: number | undefined;

  constructor(status: number, problem: Partial<Problem>, retryAfterSeconds?: number) {
    const fields = Object.entries(problem.errors ?? {}).map(([field, message]) => `${field}: ${message}`);
    super([problem.detail ?? `The server answered ${status}.`, ...fields].join('\n'));
    this.status = status;
    this.problem = problem;
    this.retryAfterSeconds = retryAfterSeconds;
  }

  get code(): Problem['code'] | undefined {
    return this.problem.code;
  }
}

/** The request did not reach the server, or its answer did not reach us. */
export class NetworkError extends Error {
  override name = 'NetworkError';
}

/** Nobody's refusal is longer. */
const TEXT_MAX = 64 * 1024;

export async function readApiError(response: IncomingMessage): Promise<ApiError> {
  const text = await readText(response, TEXT_MAX).catch(() => '');
  const { 'content-type': type = '', 'retry-after': retryAfter } = response.headers;
  const seconds = Number(retryAfter ?? Number.NaN);
  return new ApiError(
    response.statusCode ?? 0,
    parseProblem(type, text),
    Number.isFinite(seconds) ? seconds : undefined,
  );
}

/** The body as text; what goes beyond `maxBytes` is an error. */
export async function readText(response: IncomingMessage, maxBytes: number): Promise<string> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const piece of response as AsyncIterable<Buffer>) {
      bytes += piece.length;
      if (bytes > maxBytes) throw new Error('The server’s answer is too long.');
      pieces.push(piece);
    }
  } finally {
    if (!response.complete) response.destroy();
  }
  return Buffer.concat(pieces).toString();
}

function parseProblem(contentType: string, text: string): Partial<Problem> {
  if (!contentType.includes('json')) return text && text.length < 1_000 ? { detail: text.trim() } : {};
  try {
    const problem: unknown = JSON.parse(text);
    return typeof problem === 'object' && problem !== null ? problem : {};
  } catch {
    return {};
  }
}

/** How the command ends when the server refuses. */
export function exitCodeOf({ status, code }: ApiError) {
  if (status === 401 || status === 403) return EXIT.signIn;
  if (code === 'count_quota_exceeded') return EXIT.refused;
  return [402, 410, 413, 423, 429, 507].includes(status) ? EXIT.refused : EXIT.failed;
}
