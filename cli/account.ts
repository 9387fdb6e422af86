import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import { readDefaults } from './environment.ts';
import { CommandError, EXIT, usageError } from './http/errors.ts';
import { configFile, writePrivately } from './places.ts';

const Config = z.object({ server: z.string(), key: z.string() });
type Config = z.infer<typeof Config>;

export type Account = { server: string; key: string };
export type AccountOptions = { server?: string | undefined; key?: string | undefined };

/**
 * The server and key of a call: from the options, else the environment, else what `sendwell login` kept. A kept key
 * goes to no other server than its own. Throws CommandError.
 */
export async function findAccount(options: AccountOptions): Promise<Account> {
  const defaults = readDefaults();
  const kept = await readConfig();
  const server = parseServer(options.server || defaults.server || kept?.server);
  const key =
    options.key || defaults.key || (kept && parseServer(kept.server) === server ? kept.key : undefined);
  if (!key)
    throw new CommandError(
      EXIT.signIn,
      `There is no key for ${server}. Create one there in Settings, then run \`sendwell login\`.`,
    );
  return { server, key };
}

/** The address of a server without a path that means nothing; http only where it was asked for. */
export function parseServer(text: string | undefined): string {
  if (!text)
    throw usageError('Which server? Give --server https://… or set SENDWELL_URL, or run `sendwell login`.');
  const url = URL.parse(/^https?:\/\//i.test(text) ? text : `https://${text}`);
  if (!url?.hostname) throw usageError(`“${text}” is not the address of a server.`);
  return url.origin + url.pathname.replace(/\/+$/, '');
}

export async function keepAccount(account: Config): Promise<void> {
  await writePrivately(configFile(), `${JSON.stringify(account, undefined, 2)}\n`);
}

/** Throws CommandError when the file is there but says nothing. */
async function readConfig(): Promise<Config | undefined> {
  const path = configFile();
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw new CommandError(EXIT.failed, `${path} cannot be read: ${error.message}`);
  });
  if (text === undefined) return undefined;
  try {
    return Config.parse(JSON.parse(text));
  } catch {
    throw new CommandError(EXIT.failed, `${path} is damaged. Remove it and run \`sendwell login\` again.`);
  }
}
