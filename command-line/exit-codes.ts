/**
 * Exit codes of `sendwell` (cli/) and the operator's commands (operator/). Scripts depend on them. Keep the tables in
 * docs/self-hosting/backup.md and cli/README.md in sync.
 */
export const EXIT = {
  ok: 0,
  failed: 1,
  usage: 2,
  found: 3,
  refused: 4,
  interrupted: 5,
  signIn: 6,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

const MEANINGS: Record<ExitCode, string> = {
  0: 'done',
  1: 'failed',
  2: 'wrong arguments or options',
  3: 'finished, but found problems: the output says which',
  4: 'refused because of a plan, a limit, an expiry date, or a missing password or link key',
  5: 'interrupted, or gave up waiting for the network; `sendwell resume` continues',
  6: 'API key missing or without permission; API key, password or link key wrong',
};

/** Ends a command. The message is shown to the user. */
export class CommandError extends Error {
  override name = 'CommandError';
  readonly exitCode: ExitCode;
  /** Added to the object that `--json` prints. */
  readonly facts: Record<string, unknown>;

  constructor(exitCode: ExitCode, message: string, facts: Record<string, unknown> = {}) {
    super(message);
    this.exitCode = exitCode;
    this.facts = facts;
  }
}

export function usageError(message: string): CommandError {
  return new CommandError(EXIT.usage, message);
}

export function describeExitCodes(codes: readonly ExitCode[]): string {
  return ['Exit codes:', ...codes.map((code) => `  ${code}  ${MEANINGS[code]}`)].join('\n');
}
