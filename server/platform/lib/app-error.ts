import { ERRORS, type ErrorCode, errorMessage, type FieldErrors } from '../../../contracts/errors.ts';

type Options = {
  /** For the sentence's placeholders and the problem details. Never secrets. */
  details?: Record<string, unknown>;
  errors?: FieldErrors;
  message?: string;
  retryAfterSeconds?: number;
  cause?: unknown;
};

/** `contracts/errors.ts` defines status and sentence. */
export class AppError extends Error {
  readonly code: ErrorCode;
  readonly status: number;
  readonly details: Record<string, unknown>;
  readonly errors: FieldErrors | undefined;
  readonly retryAfterSeconds: number | undefined;

  constructor(code: ErrorCode, options: Options = {}) {
    super(options.message ?? errorMessage(code, options.details), { cause: options.cause });
    this.name = 'AppError';
    this.code = code;
    this.status = ERRORS[code].status;
    this.details = options.details ?? {};
    this.errors = options.errors;
    this.retryAfterSeconds = options.retryAfterSeconds;
  }
}

export function isAppError(error: unknown, code?: ErrorCode): error is AppError {
  return error instanceof AppError && (code === undefined || error.code === code);
}

/** For writes that may be skipped while the disk is full. */
export function ignoreFullDisk(error: unknown): void {
  if (!isAppError(error, 'storage_full')) throw error;
}

/** For operators, not for callers. */
export function innermostMessage(error: unknown): string {
  if (error instanceof Error && error.cause instanceof Error) return innermostMessage(error.cause);
  return error instanceof Error ? error.message || error.name : String(error);
}
