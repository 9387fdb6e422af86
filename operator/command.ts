import type { ParseArgsOptionsConfig } from 'node:util';
import type { Config } from '../server/config.ts';
import type { OperatorContext } from '../server/context.ts';

/** What the process says when it ends. */
export const EXIT = { done: 0, failed: 1, usage: 2, found: 3 } as const;
export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** One entry of the command line's table (`server/cli.ts`). */
export type Command = {
  name: string;
  /** What follows the name: `<folder> [--without-files]`. */
  usage: string;
  /** One line for the table of commands. */
  summary: string;
  /** What the usage does not say, for `help <command>`. */
  details?: string;
  options?: ParseArgsOptionsConfig;
  /** Throws UsageError for wrong arguments, RefusedError with a sentence for what it will not do. */
  run(call: CommandCall): Promise<ExitCode>;
};

export type CommandCall = {
  config: Config;
  /** What stands after the name, without options. */
  args: string[];
  options: Record<string, unknown>;
  isJson: boolean;
  /**
   * Database and storage as the server has them, beside a running one; no lock of DATA_DIR is needed. Closed
   * when the command ends. Throws RefusedError when there is no database or its tables are of another version.
   */
  open(): Promise<OperatorContext>;
  /** A line for a person (standard error with `--json`). */
  say(line: string): void;
  /** A line on standard error about long work that goes on. */
  progress(line: string): void;
  /** What the command found or did: one JSON object with `--json`, the sentence without. */
  report(facts: Record<string, unknown>, sentence: string): void;
  /** Asks the person at the terminal; undefined where there is none. */
  ask(question: string, options?: { hidden?: boolean }): Promise<string | undefined>;
};

export class UsageError extends Error {
  override name = 'UsageError';
}

/** The command will not do it, and the message is a whole sentence that says why. */
export class RefusedError extends Error {
  override name = 'RefusedError';
}

/** The only argument there must be. Throws UsageError. */
export function onlyArgument({ args }: Pick<CommandCall, 'args'>): string {
  const [argument, ...rest] = args;
  if (argument === undefined || rest.length > 0) throw new UsageError('Exactly one argument is needed.');
  return argument;
}
