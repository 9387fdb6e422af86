import { ERRORS, type ErrorCode, errorMessage, type FieldErrors } from '../../../contracts/errors.ts';

type Options = {
  /** Fills the sentence's places and travels in the problem details (never secrets). */
  details?: Record<string, unknown>;
  /** One message per wrong field. */
  errors?: FieldErrors;
  /** Overrides the catalogue's sentence, for validation messages that name the field. */
  message?: string;
  retryAfterSeconds?: number;
  cause?: unknown;
};

/** The one way a rule refuses. Status and sentence live in `contracts/errors.ts`. */
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

/** For `catch` after a write that a page does without while the disk is full. */
export function ignoreFullDisk(error: unknown): void {
  if (!isAppError(error, 'storage_full')) throw error;
}

/** What the innermost cause of an error says: for operators, not for callers. */
export function innermostMessage(error: unknown): string {
  if (error instanceof Error && error.cause instanceof Error) return innermostMessage(error.cause);
  return error instanceof Error ? error.message || error.name : String(error);
}
