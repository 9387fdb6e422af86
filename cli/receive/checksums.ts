import { checksumsPath } from '../../contracts/values/links.ts';
import type { Api } from '../http/api.ts';
import { readText } from '../http/connection.ts';

const TEXT_MAX = 256 * 1024 * 1024;

export type NamedSum = {
  name: string;
  /** Lower-case hex; undefined for a file that the server lost. */
  sha256: string | undefined;
};

/** One line per file of the transfer, in its order. Throws ApiError, `checksums_pending` among them, NetworkError. */
export async function fetchChecksums(api: Api, token: string, signal: AbortSignal): Promise<NamedSum[]> {
  const response = await api.send({ method: 'GET', path: checksumsPath(token), signal });
  return parseChecksums(await readText(response, TEXT_MAX));
}

/** As `sha256sum --check` reads it: a leading `\` tells that the name is escaped. */
export function parseChecksums(text: string): NamedSum[] {
  return text.split('\n').flatMap((line) => {
    const damaged = /^# damaged: (.*)$/.exec(line)?.[1];
    if (damaged !== undefined) return { name: unescapeName(damaged), sha256: undefined };
    const [, escaped, sha256, name] = /^(\\?)([0-9a-f]{64})[ ][ *](.+)$/i.exec(line) ?? [];
    if (sha256 === undefined || name === undefined) return [];
    return { name: escaped ? unescapeName(name) : name, sha256: sha256.toLowerCase() };
  });
}

function unescapeName(name: string): string {
  return name.replace(/\\([\\nr])/g, (_all, character: string) =>
    character === 'n' ? '\n' : character === 'r' ? '\r' : '\\',
  );
}
