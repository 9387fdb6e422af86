/** What the command takes from its environment; the only place that reads it. */

/** `SENDWELL_URL`, `SENDWELL_KEY`: undefined where unset. */
export function readDefaults(): { server: string | undefined; key: string | undefined } {
  const { SENDWELL_URL, SENDWELL_KEY } = process.env;
  return { server: SENDWELL_URL, key: SENDWELL_KEY };
}

/** `HTTPS_PROXY`, `HTTP_PROXY` and `NO_PROXY` are read from it by Node. */
export function readProxySettings(): NodeJS.ProcessEnv {
  return process.env;
}

/** A folder that the person has chosen by a variable; blank is unset. */
export function readFolder(variable: string): string | undefined {
  return process.env[variable] || undefined;
}
