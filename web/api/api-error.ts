import type { ErrorCode, FieldErrors, Problem } from '../../contracts/errors.ts';

/** A refusal of the server. The message is the status, a colon and the sentence (specification section 8). */
export class ApiError extends Error {
  readonly status: number;
  /** The sentence alone. */
  readonly detail: string;
  readonly code: ErrorCode | undefined;
  readonly errors: FieldErrors;
  readonly problem: Partial<Problem>;
  /** From Retry-After. */
  readonly retryAfterSeconds: number | undefined;

  constructor(status: number, detail: string, problem: Partial<Problem> = {}, retryAfterSeconds?: number) {
    super(`${status}: ${detail}`);
    this.name = 'ApiError';
    this.status = status;
    this.detail = detail;
    this.code = problem.code;
    this.errors = problem.errors ?? {};
    this.problem = problem;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

export async function readApiError(response: Response): Promise<ApiError> {
  const text = await response.text().catch(() => '');
  const problem = parseProblem(response, text);
  const retryAfter = Number(response.headers.get('retry-after') ?? Number.NaN);
  return new ApiError(
    response.status,
    problem.detail ?? (text || response.statusText),
    problem,
    Number.isFinite(retryAfter) ? retryAfter : undefined,
  );
}

function parseProblem(response: Response, text: string): Partial<Problem> {
  if (!response.headers.get('content-type')?.includes('json')) return {};
  try {
    const problem: unknown = JSON.parse(text);
    return typeof problem === 'object' && problem !== null ? problem : {};
  } catch {
    return {};
  }
}

/**
 * What a toast says of a refused call: the status, a colon and the sentence (specification section 8); of one that
 * did not reach the server, our sentence.
 */
export function refusalText(error: unknown): string {
  return error instanceof ApiError ? error.message : errorDetail(error);
}

/** The server's sentence, or ours when it could not be reached (`fetch` throws a TypeError then). */
export function errorDetail(error: unknown): string {
  if (error instanceof ApiError) return error.detail;
  if (error instanceof TypeError)
    return 'The server could not be reached. Please check your connection and try again.';
  return error instanceof Error ? error.message : String(error);
}
