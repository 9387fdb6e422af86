import { readFile } from 'node:fs/promises';
import { Option } from 'commander';
import { CommandError, EXIT, usageError } from '../../command-line/exit-codes.ts';
import { viewDownload } from '../../contracts/transfers/downloads/downloads.ts';
import { EncryptionParams } from '../../contracts/transfers/encryption.ts';
import { DamagedSegmentError } from '../../encryption/errors.ts';
import { needsPassword, type TransferKeys } from '../../encryption/keys.ts';
import { type Manifest, openManifest } from '../../encryption/manifest.ts';
import { type PasswordOptions, type Run, readPassword } from '../command.ts';
import { Api } from '../http/api.ts';
import { askForPassword, openShare, type Share } from '../receive/share.ts';
import { deriveLinkKeys, toReadableError } from './link-keys.ts';
import { fetchManifest } from './manifest.ts';

export type ManifestOptions = PasswordOptions & { manifest?: string; view?: string };

export const MANIFEST_OPTIONS = [
  new Option('--manifest <file>', 'Sealed list of files, instead of asking the server; needs --view'),
  new Option('--view <file>', 'What the server answered about the transfer, as JSON'),
];

export type OpenedManifest = { manifest: Manifest; keys: TransferKeys };

type Asking = Pick<Run<unknown[], ManifestOptions>, 'options' | 'firstContact' | 'signal'>;

/** If the name of the manifest does not end with its revision, those up to this one are tried. */
const MAX_REVISION_TRIED = 1_000;

/** From --manifest, or from the server. The link must have a key. Throws CommandError, ApiError, NetworkError. */
export async function getManifestFor(run: Asking, share: Share): Promise<OpenedManifest> {
  const { options, firstContact, signal } = run;
  if (options.manifest !== undefined) return await openOffline(run, share, options.manifest);
  const api = new Api(share.server);
  try {
    const visit = { api, retries: firstContact, signal };
    const { sealed } = await openShare(visit, share, await readPassword(options));
    const { keys } = sealed!;
    return { keys, manifest: await fetchManifest(visit, share.token, keys.manifest) };
  } finally {
    api.close();
  }
}

/** With the parameters from --view, or from the server. Throws CommandError, ApiError, NetworkError. */
export async function deriveKeysFor(run: Asking, share: Share): Promise<TransferKeys> {
  const { view } = run.options;
  const params = view === undefined ? await fetchParams(run, share) : await readParams(view);
  const given = await readPassword(run.options);
  const password = needsPassword(params) ? (given ?? (await askForPassword())) : undefined;
  return await deriveLinkKeys({ linkSecret: share.linkSecret!, password, params });
}

async function fetchParams(
  { firstContact, signal }: Asking,
  { server, token }: Share,
): Promise<EncryptionParams> {
  const api = new Api(server);
  try {
    const { encryption } = await firstContact.run(
      () => api.call(viewDownload, { params: { token }, signal }),
      signal,
    );
    if (encryption) return encryption;
    throw new CommandError(EXIT.failed, 'This transfer is not encrypted, or no longer available.');
  } finally {
    api.close();
  }
}

async function openOffline(run: Asking, share: Share, path: string): Promise<OpenedManifest> {
  if (run.options.view === undefined) throw usageError('--manifest needs --view.');
  const keys = await deriveKeysFor(run, share);
  const sealed = new Uint8Array(await readGiven(path));
  const named = Number(/\.([1-9]\d*)$/.exec(path)?.[1] ?? 0);
  // The revision is authenticated, but not written in the manifest.
  for (let revision = named || 1; ; revision += 1) {
    try {
      return { keys, manifest: await openManifest(keys.manifest, sealed, revision) };
    } catch (error) {
      const isLast = named > 0 || revision === MAX_REVISION_TRIED;
      if (!(error instanceof DamagedSegmentError) || isLast) throw toReadableError(error);
    }
  }
}

/** Accepts the parameters alone, and all that the server says about the transfer. */
async function readParams(path: string): Promise<EncryptionParams> {
  const text = (await readGiven(path)).toString();
  try {
    const json = JSON.parse(text);
    return EncryptionParams.parse(json.encryption ?? json);
  } catch {
    throw usageError(`${path} has no encryption parameters. Fetch it from /api/download/TOKEN.`);
  }
}

async function readGiven(path: string): Promise<Buffer> {
  return await readFile(path).catch((error: NodeJS.ErrnoException) => {
    throw usageError(`Couldn’t read ${path}: ${error.message}`);
  });
}
