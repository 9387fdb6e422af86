import { ApiError, errorDetail, NetworkError } from '../../client/api-error.ts';

/** What the shell is told. Part of what the command promises: see README.md. */
export const EXIT = {
  ok: 0,
  /** It did not work, or files differ. */
  failed: 1,
  /** The command line is not right. */
  usage: 2,
  /** No key, a wrong one, or one that may not. */
  signIn: 3,
  /** A plan, a limit, an expiry or a password refuses it. */
  refused: 4,
  /** Interrupted, or the network was given up: `sendwell resume` goes on. */
  interrupted: 5,
} as const;

type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** Ends the command with a sentence for a person. */
export class CommandError extends Error {
  override name = 'CommandError';
  readonly exitCode: ExitCode;
  /** Goes into the object that `--json` prints. */
  readonly facts: Record<string, unknown>;

  constructor(exitCode: ExitCode, message: string, facts: Record<string, unknown> = {}) {
    super(message);
    this.exitCode = exitCode;
    this.facts = facts;
  }
}

/** The command line is not right. */
export function usageError(message: string): CommandError {
  return new CommandError(EXIT.usage, message);
}

export function exitCodeOf(error: unknown): ExitCode {
  if (error instanceof CommandError) return error.exitCode;
  if (error instanceof NetworkError) return EXIT.interrupted;
  return error instanceof ApiError ? exitCodeOfRefusal(error) : EXIT.failed;
}

function exitCodeOfRefusal({ status, code }: ApiError): ExitCode {
  if (status === 401 || status === 403) return EXIT.signIn;
  if (code === 'count_quota_exceeded') return EXIT.refused;
  return [402, 410, 413, 423, 429, 507].includes(status) ? EXIT.refused : EXIT.failed;
}

/** What a person reads of an error: of a refusal the server's sentence, and below it what it says of single fields. */
export function describeError(error: unknown): string {
  const fields = error instanceof ApiError ? Object.entries(error.errors) : [];
  return [errorDetail(error), ...fields.map(([field, message]) => `${field}: ${message}`)].join('\n');
}
