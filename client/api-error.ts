import type { ErrorCode, FieldErrors, Problem } from '../contracts/errors.ts';

/** The message is the status, a colon and the server's sentence (`409: Name taken.`). */
export class ApiError extends Error {
  override name = 'ApiError';
  readonly status: number;
  /** The sentence without the status. */
  readonly detail: string;
  readonly code: ErrorCode | undefined;
  readonly errors: FieldErrors;
  readonly problem: Partial<Problem>;
  /** From Retry-After; undefined if the header is absent or a date. */
  readonly retryAfterSeconds: number | undefined;

  constructor(status: number, detail: string, problem: Partial<Problem> = {}, retryAfterSeconds?: number) {
    super(`${status}: ${detail}`);
    this.status = status;
    this.detail = detail;
    this.code = problem.code;
    this.errors = problem.errors ?? {};
    this.problem = problem;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/** The request did not reach the server, or the response did not reach the client. */
export class NetworkError extends Error {
  override name = 'NetworkError';
  /** Pages replace it with its translation. */
  static sentence = 'The server could not be reached. Please check your connection and try again.';

  constructor(message = NetworkError.sentence, options?: ErrorOptions) {
    super(message, options);
  }
}

/** Implemented by the `Response` of fetch; other adapters build one. */
export type HttpResponse = {
  readonly status: number;
  readonly statusText: string;
  readonly headers: { get(name: string): string | null };
  text(): Promise<string>;
};

/** Never throws: a body that is cut off counts as empty. */
export async function readApiError(response: HttpResponse): Promise<ApiError> {
  const text = await response.text().catch(() => '');
  const problem = parseProblem(response.headers.get('content-type') ?? '', text);
  const retryAfter = Number(response.headers.get('retry-after') ?? Number.NaN);
  return new ApiError(
    response.status,
    problem.detail ?? (text || response.statusText),
    problem,
    Number.isFinite(retryAfter) ? retryAfter : undefined,
  );
}

function parseProblem(contentType: string, text: string): Partial<Problem> {
  if (!contentType.includes('json')) return {};
  try {
    const problem: unknown = JSON.parse(text);
    return typeof problem === 'object' && problem !== null ? problem : {};
  } catch {
    return {};
  }
}

/** Status and sentence of a refusal; the message of any other error. */
export function refusalText(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** As `refusalText`, without the status. */
export function errorDetail(error: unknown): string {
  return error instanceof ApiError ? error.detail : refusalText(error);
}
