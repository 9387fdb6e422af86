import { Option } from 'commander';
import type { Retries } from '../client/retries.ts';
import type { ExitCode } from '../command-line/exit-codes.ts';
import { type CommandDefinition, wholeNumber } from '../command-line/program.ts';
import { readSecret } from '../command-line/prompts.ts';
import type { Screen } from './progress/screen.ts';

/** A command of `sendwell`; `cli/main.ts` lists them. */
export type Command = CommandDefinition & { run(run: Run): Promise<Outcome> };

export type Run<Args extends unknown[] = unknown[], Options = object> = {
  args: Args;
  options: Options & CommonOptions;
  screen: Screen;
  /** Retries without end, or until `--give-up-after`. */
  retries: Retries;
  /** For the first call to a server: gives up soon, because the address may be wrong. */
  firstContact: Retries;
  /** Its reason is the CommandError to end with. */
  signal: AbortSignal;
};

export type Outcome = {
  /** For people, on standard output. */
  text: string;
  /** For programs, with `--json`. */
  facts: Record<string, unknown>;
  /** EXIT.ok by default. */
  exitCode?: ExitCode;
};

export type CommonOptions = {
  json?: true;
  progress?: 'bar' | 'plain' | 'none' | 'json';
  /** Seconds. */
  giveUpAfter?: number;
};

export const COMMON_OPTIONS = [
  new Option('--json', 'Print one JSON object on standard output and nothing else'),
  new Option('--progress <style>', 'How to show progress; json prints one JSON object per line').choices([
    'bar',
    'plain',
    'none',
    'json',
  ]),
  new Option(
    '--give-up-after <seconds>',
    'Stop if the network is away for so long; by default wait until it is back',
  ).argParser(wholeNumber({ least: 1 })),
];

export type AccountOptions = { server?: string; key?: string };

export const ACCOUNT_OPTIONS = [
  new Option('--server <url>', 'The server; by default SENDWELL_URL or the server of `sendwell login`'),
  new Option('--key <key>', 'The API key; by default SENDWELL_KEY or the key of `sendwell login`'),
];

/** The server of a share link, for commands that accept a bare token instead of the link. */
export const SHARE_SERVER_OPTION = new Option(
  '--server <url>',
  'The server, if you give only the token of a link',
);

export type PasswordOptions = { password?: string; passwordStdin?: true };

export function passwordOptions(description: string): Option[] {
  return [
    new Option('--password <password>', description),
    new Option('--password-stdin', 'Read the password from standard input instead'),
  ];
}

/** The password that the options give or announce; undefined if they do neither. */
export async function readPassword(
  { password, passwordStdin }: PasswordOptions,
  question = 'Password: ',
): Promise<string | undefined> {
  return passwordStdin ? await readSecret(question) : password;
}
