import { Option } from 'commander';
import type { Retries } from '../client/retries.ts';
import type { ExitCode } from '../command-line/exit-codes.ts';
import { type CommandDefinition, wholeNumber } from '../command-line/program.ts';
import { readSecret } from '../command-line/prompts.ts';
import type { Screen } from './progress/screen.ts';

export type Command = CommandDefinition & { run(run: Run): Promise<Outcome> };

export type Run<Args extends unknown[] = unknown[], Options = object> = {
  args: Args;
  options: Options & CommonOptions;
  screen: Screen;
  /** Retries until `--give-up-after`; forever by default. */
  retries: Retries;
  /** For the first call to a server. Fails fast, because the address may be wrong. */
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
  new Option('--json', 'Print nothing but one JSON object on standard output'),
  new Option('--progress <style>', 'How to show progress; json prints one JSON object per line').choices([
    'bar',
    'plain',
    'none',
    'json',
  ]),
  new Option(
    '--give-up-after <seconds>',
    'Give up if the network is down for this long; by default, keep retrying',
  ).argParser(wholeNumber({ least: 1 })),
];

export type AccountOptions = { server?: string; key?: string };

export const ACCOUNT_OPTIONS = [
  new Option(
    '--server <url>',
    'Server address; by default SENDWELL_URL, then the one saved by `sendwell login`',
  ),
  new Option('--key <key>', 'API key; by default SENDWELL_KEY, then the one saved by `sendwell login`'),
];

export const SHARE_SERVER_OPTION = new Option(
  '--server <url>',
  'Server address, if you pass a token or a pickup code instead of a link',
);

export type PasswordOptions = { password?: string; passwordStdin?: true };

export function passwordOptions(description: string): Option[] {
  return [
    new Option('--password <password>', description),
    new Option('--password-stdin', 'Read the password from standard input instead'),
  ];
}

export async function readPassword(
  { password, passwordStdin }: PasswordOptions,
  question = 'Password: ',
): Promise<string | undefined> {
  return passwordStdin ? await readSecret(question) : password;
}
