import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { z } from 'zod';
import { CommandError, EXIT, usageError } from '../command-line/exit-codes.ts';
import { readSecret } from '../command-line/prompts.ts';
import { getCurrentUser } from '../contracts/accounts/accounts.ts';
import { tierLabel } from '../contracts/plans/tiers.ts';
import { ACCOUNT_OPTIONS, type AccountOptions, type Command, type Run } from './command.ts';
import { configFile, readDefaults } from './environment.ts';
import { Api } from './http/api.ts';
import { toOneLine } from './progress/words.ts';

const Account = z.object({ server: z.string(), key: z.string() });
export type Account = z.infer<typeof Account>;

export const loginCommand: Command = {
  name: 'login',
  summary: 'Save a server and an API key for other commands',
  details: [
    'Create an API key in Settings on the server. Without --key, the command prompts for it, or reads it from ' +
      'standard input. Server and key are saved in a file that only you can read.',
  ],
  options: ACCOUNT_OPTIONS,
  async run({ options, firstContact, signal }: Run<[], AccountOptions>) {
    const server = parseServer(options.server ?? readDefaults().server);
    const key = (options.key ?? (await readSecret(`API key for ${server}: `))).trim();
    const api = new Api(server, { key });
    try {
      const { username, tier } = await firstContact.run(() => api.call(getCurrentUser, { signal }), signal);
      await saveAccount({ server, key });
      return {
        text: `Signed in to ${server} as ${toOneLine(username)} (${tierLabel(tier)}). Saved to ${configFile()}.`,
        facts: { server, username, tier, configFile: configFile() },
      };
    } finally {
      api.close();
    }
  },
};

/**
 * Takes server and key from the options, else the environment, else `sendwell login`. A saved key is used only for
 * its own server. Throws CommandError if either is missing.
 */
export async function getAccount(options: AccountOptions): Promise<Account> {
  const defaults = readDefaults();
  const saved = await readAccount();
  const server = parseServer(options.server || defaults.server || saved?.server);
  const savedKey = saved && parseServer(saved.server) === server ? saved.key : undefined;
  const key = options.key || defaults.key || savedKey;
  if (!key)
    throw new CommandError(
      EXIT.signIn,
      `There is no API key for ${server}. Create one in Settings there, then run \`sendwell login\`.`,
    );
  return { server, key };
}

/** Removes trailing slashes, and adds https if there is no scheme. Throws CommandError. */
export function parseServer(text: string | undefined): string {
  if (!text)
    throw usageError('No server given. Use --server https://…, set SENDWELL_URL, or run `sendwell login`.');
  const url = URL.parse(/^https?:\/\//i.test(text) ? text : `https://${text}`);
  if (!url?.hostname) throw usageError(`“${text}” is not a server address.`);
  return url.origin + url.pathname.replace(/\/+$/, '');
}

async function readAccount(): Promise<Account | undefined> {
  const path = configFile();
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw new CommandError(EXIT.failed, `Couldn’t read ${path}: ${error.message}`);
  });
  if (text === undefined) return undefined;
  try {
    return Account.parse(JSON.parse(text));
  } catch {
    throw new CommandError(EXIT.failed, `${path} is damaged. Delete it, then run \`sendwell login\` again.`);
  }
}

/** Replaces the file atomically. Only its owner can read it. */
async function saveAccount(account: Account): Promise<void> {
  const path = configFile();
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const draft = `${path}.${process.pid}.new`;
  await writeFile(draft, `${JSON.stringify(account, undefined, 2)}\n`, { mode: 0o600 });
  await rename(draft, path);
}
