import type { ExitCode } from '../command-line/exit-codes.ts';
import type { CommandDefinition } from '../command-line/program.ts';
import type { Config } from '../server/config.ts';
import type { OperatorContext } from '../server/context.ts';

/** An operator's command; `operator/main.ts` lists them. */
export type Command = CommandDefinition & {
  /** Throws CommandError with a sentence for what it refuses to do. */
  run(call: CommandCall): Promise<ExitCode>;
};

export type CommandCall<Args extends unknown[] = unknown[], Options = Record<string, unknown>> = {
  config: Config;
  args: Args;
  options: Options;
  /**
   * Opens the server's database and storage, also beside a running server. They are closed when the command ends.
   * Throws ConfigError if there is no database or its tables are of another version.
   */
  open(): Promise<OperatorContext>;
  /** Prints a line for a person: on standard output, with `--json` on standard error. */
  say(line: string): void;
  /** Prints a line about the progress of long work on standard error. */
  progress(line: string): void;
  /** Prints the result: with `--json` the facts as one JSON object, otherwise the sentence. */
  report(facts: Record<string, unknown>, sentence: string): void;
  /** Asks the person at the terminal; undefined if there is none. Answers to hidden questions are not shown. */
  ask(question: string, options?: { hidden?: boolean }): Promise<string | undefined>;
};
