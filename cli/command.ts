import type { Retries } from '../client/retries.ts';
import type { Option, Values } from './options.ts';
import type { Screen } from './progress/screen.ts';

/** What a command is run with. */
export type Run = {
  values: Values;
  /** What stands on the command line beside the options. */
  paths: string[];
  screen: Screen;
  /** Endless once something was begun; at first contact it ends soon, for the address may be wrong. */
  retries: Retries;
  firstContact: Retries;
  /** Its reason is the CommandError with which to end. */
  signal: AbortSignal;
};

export type Outcome = {
  /** For standard output, when a person reads it. */
  text: string;
  /** For standard output with `--json`. */
  facts: Record<string, unknown>;
  /** 0 unless told. */
  exitCode?: number;
};

export type Command = {
  summary: string;
  /** Behind the command's name: '<paths…> [options]'. */
  usage: string;
  options: Record<string, Option>;
  /** Paragraphs below the options. */
  notes?: string[];
  run(run: Run): Promise<Outcome>;
};
