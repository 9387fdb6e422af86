/** The environment variables of the command; no other file of cli/ reads them. */
import { homedir } from 'node:os';
import { join } from 'node:path';

/** `SENDWELL_URL` and `SENDWELL_KEY`. */
export function readDefaults(): { server: string | undefined; key: string | undefined } {
  const { SENDWELL_URL, SENDWELL_KEY } = process.env;
  return { server: SENDWELL_URL, key: SENDWELL_KEY };
}

/** The variables in which Node finds `HTTPS_PROXY`, `HTTP_PROXY` and `NO_PROXY`. */
export function readProxySettings(): NodeJS.ProcessEnv {
  return process.env;
}

/** The file with server and key, below the XDG base directory or, on Windows, below `APPDATA`. */
export function configFile(): string {
  return join(baseDirectory('XDG_CONFIG_HOME', 'APPDATA', '.config'), 'sendwell', 'config.json');
}

/** The folder with the journals of unfinished transfers. */
export function stateFolder(): string {
  return join(baseDirectory('XDG_STATE_HOME', 'LOCALAPPDATA', '.local/state'), 'sendwell');
}

function baseDirectory(variable: string, windowsVariable: string, fallback: string): string {
  const windows = process.platform === 'win32' ? process.env[windowsVariable] : undefined;
  return process.env[variable] || windows || join(homedir(), fallback);
}
