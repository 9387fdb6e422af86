/** All environment variables of the command are read here. */
import { homedir } from 'node:os';
import { join } from 'node:path';

export function readDefaults(): { server: string | undefined; key: string | undefined } {
  const { SENDWELL_URL, SENDWELL_KEY } = process.env;
  return { server: SENDWELL_URL, key: SENDWELL_KEY };
}

/** For Node's `proxyEnv`: `HTTPS_PROXY`, `HTTP_PROXY` and `NO_PROXY`. */
export function readProxySettings(): NodeJS.ProcessEnv {
  return process.env;
}

/** In the XDG base directory or, on Windows, in `APPDATA`. */
export function configFile(): string {
  return join(baseDirectory('XDG_CONFIG_HOME', 'APPDATA', '.config'), 'sendwell', 'config.json');
}

export function stateFolder(): string {
  return join(baseDirectory('XDG_STATE_HOME', 'LOCALAPPDATA', '.local/state'), 'sendwell');
}

function baseDirectory(variable: string, windowsVariable: string, fallback: string): string {
  const windows = process.platform === 'win32' ? process.env[windowsVariable] : undefined;
  return process.env[variable] || windows || join(homedir(), fallback);
}
