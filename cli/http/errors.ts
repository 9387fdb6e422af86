import { ApiError, errorDetail, NetworkError } from '../../client/api-error.ts';
import { CommandError, EXIT, type ExitCode } from '../../command-line/exit-codes.ts';
import type { ErrorCode } from '../../contracts/errors.ts';

export function exitCodeOf(error: unknown): ExitCode {
  if (error instanceof CommandError) return error.exitCode;
  if (error instanceof NetworkError) return EXIT.interrupted;
  return error instanceof ApiError ? exitCodeOfRefusal(error) : EXIT.failed;
}

/** Refused because of a plan or a limit, although their status says something else. */
const REFUSED: ReadonlySet<ErrorCode> = new Set([
  'count_quota_exceeded',
  'encryption_required',
  'encryption_forbidden',
]);

function exitCodeOfRefusal({ status, code }: ApiError): ExitCode {
  if (code !== undefined && REFUSED.has(code)) return EXIT.refused;
  if (status === 401 || status === 403) return EXIT.signIn;
  return [402, 410, 413, 423, 429, 507].includes(status) ? EXIT.refused : EXIT.failed;
}

/** Adds one line for each rejected field. */
export function describeError(error: unknown): string {
  const fields = error instanceof ApiError ? Object.entries(error.errors) : [];
  return [errorDetail(error), ...fields.map(([field, message]) => `${field}: ${message}`)].join('\n');
}
