import type { ExitCode } from '../command-line/exit-codes.ts';
import type { CommandDefinition } from '../command-line/program.ts';
import type { Config } from '../server/config.ts';
import type { OperatorContext } from '../server/context.ts';

export type Command = CommandDefinition & {
  /** Throws CommandError if it refuses to run. */
  run(call: CommandCall): Promise<ExitCode>;
};

export type CommandCall<Args extends unknown[] = unknown[], Options = Record<string, unknown>> = {
  config: Config;
  args: Args;
  options: Options;
  /**
   * Opens database and storage, also while a server is running; they are closed when the command ends. Throws
   * ConfigError if there is no database or its schema is of another version.
   */
  open(): Promise<OperatorContext>;
  /** Prints a line on standard output; with `--json`, on standard error. */
  say(line: string): void;
  /** Prints a line on standard error. */
  progress(line: string): void;
  /** With `--json`, prints the facts as one JSON object; otherwise the sentence. */
  report(facts: Record<string, unknown>, sentence: string): void;
  /** Prompts at the terminal; undefined if there is none. Hidden answers are not echoed. */
  ask(question: string, options?: { hidden?: boolean }): Promise<string | undefined>;
};
