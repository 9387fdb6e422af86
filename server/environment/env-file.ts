import { readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';
import { ConfigError, type EnvFile } from '../config.ts';

type Variables = Record<string, string | undefined>;

const DEFAULT_FILE = '.env';

/**
 * `NAME_FILE` names the file. Docker and Kubernetes mount secrets as files, which keeps them out of process
 * listings and `docker inspect`.
 */
export const SECRETS = [
  'DATABASE_URL',
  'S3_ACCESS_KEY_ID',
  'S3_SECRET_ACCESS_KEY',
  'SMTP_URL',
  'SESSION_SECRET',
  'SESSION_SECRET_PREVIOUS',
  'ADMIN_PASSWORD',
  'STRIPE_SECRET_KEY',
  'STRIPE_PUBLISHABLE_KEY',
  'STRIPE_WEBHOOK_SECRET',
  'METRICS_TOKEN',
  'OIDC_CLIENT_SECRET',
] as const;

/**
 * Adds the variables of `.env` in the working directory, without overwriting existing ones. `ENV_FILE` names
 * another file, which must exist; `ENV_FILE=off` reads none. Throws ConfigError.
 */
export function loadEnvFile(environment: Variables): EnvFile | undefined {
  const { ENV_FILE: file } = environment;
  if (file === 'off') return undefined;
  const text = file ? readText(file, 'ENV_FILE') : readDefaultFile();
  const names = new Set<string>();
  for (const [name, value] of Object.entries(parseEnv(text))) {
    if (environment[name] !== undefined) continue;
    environment[name] = value;
    names.add(name);
  }
  return { path: file || DEFAULT_FILE, names };
}

/**
 * Replaces each `NAME_FILE` of `SECRETS` by `NAME` with the file's trimmed contents. Throws ConfigError with
 * one line per mistake.
 */
export function readSecretFiles(environment: Variables): Variables {
  const result = { ...environment };
  const mistakes: string[] = [];
  for (const name of SECRETS) {
    const file = environment[`${name}_FILE`];
    if (!file) continue;
    try {
      if (environment[name]) throw new ConfigError(`${name} and ${name}_FILE are both set: remove one.`);
      result[name] = readText(file, `${name}_FILE`).trim();
      if (!result[name]) throw new ConfigError(`${name}_FILE: ${file} is empty.`);
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      mistakes.push(error.message);
    }
  }
  if (mistakes.length > 0) throw new ConfigError(mistakes.join('\n'));
  return result;
}

function readDefaultFile(): string {
  try {
    return readFileSync(DEFAULT_FILE, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return '';
    throw new ConfigError(`${DEFAULT_FILE} cannot be read (${(error as NodeJS.ErrnoException).code}).`);
  }
}

function readText(file: string, variable: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new ConfigError(`${variable}: ${file} cannot be read (${(error as NodeJS.ErrnoException).code}).`);
  }
}
