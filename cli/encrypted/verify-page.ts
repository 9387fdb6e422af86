import { join } from 'node:path';
import { Argument, Option } from 'commander';
import { ApiError } from '../../client/api-error.ts';
import { CommandError, EXIT, usageError } from '../../command-line/exit-codes.ts';
import { MIB } from '../../contracts/values/sizes.ts';
import packageJson from '../../package.json' with { type: 'json' };
import { parseServer } from '../account.ts';
import type { Command, Outcome, Run } from '../command.ts';
import { Api } from '../http/api.ts';
import { readBytes } from '../http/connection.ts';
import { toOneLine } from '../progress/words.ts';
import { isShare, parseShare } from '../receive/share.ts';
import { digestPage, listPageFiles, type PageFile, readBuiltPage } from './page-files.ts';

const BUILT_PAGES = join(import.meta.dirname, '../../dist/web');
const FILE_MAX = 16 * MIB;
/** The page is the same for every transfer. */
const ANY_TOKEN = '0'.repeat(26);

type VerifyPageRun = Run<[string | undefined], { digest?: string }>;

export const verifyPageCommand: Command = {
  name: 'verify-page',
  summary: 'Compare the page that decrypts, on a server, with a release',
  details: [
    'Pass a server or the link of an encrypted transfer, whose key is not sent. The page is compared with the digest ' +
      'in the release notes (--digest), or with the pages built in this checkout. Without a server, prints the digest ' +
      'of those.',
    'A server could send other people another page. To exclude that, use `sendwell receive`, which runs no ' +
      'code from the server.',
    'Exit code 3 means that the page differs.',
  ],
  arguments: [new Argument('[server]', 'Server address or link')],
  options: [new Option('--digest <hex>', 'Digest of the release, from its notes')],
  run: verifyPage,
};

async function verifyPage(run: VerifyPageRun): Promise<Outcome> {
  const [server] = run.args;
  const given = run.options.digest?.trim().toLowerCase();
  if (given !== undefined && !/^[0-9a-f]{64}$/.test(given))
    throw usageError('--digest must be 64 hexadecimal digits.');
  const built = given === undefined ? await readBuiltPage(BUILT_PAGES) : undefined;
  const expected = given ?? (built && digestPage(built));
  if (expected === undefined)
    throw usageError(
      'The pages are not built here. Run `npm run build`, or pass --digest from the release notes.',
    );
  if (server === undefined)
    return { text: expected, facts: { digest: expected, version: packageJson.version, files: built } };
  const found = await fetchPage(run, server);
  const digest = digestPage(found);
  const facts = { digest, expected, files: found };
  if (digest === expected) return { text: `The page is that of the release: ${digest}`, facts };
  const different = built ? listDifferent(found, built) : undefined;
  const details = different ?? found.map(({ sha256, path }) => `${sha256}  ${path}`);
  return {
    text: [`The page differs. Digest: ${digest}, expected: ${expected}`, ...details.map(toOneLine)].join(
      '\n',
    ),
    facts: { ...facts, ...(different && { different }) },
    exitCode: EXIT.found,
  };
}

async function fetchPage({ firstContact, signal }: VerifyPageRun, server: string): Promise<PageFile[]> {
  const share = isShare(server) ? parseShare(server, undefined) : undefined;
  const api = new Api(share?.server ?? parseServer(server));
  const token = share?.token ?? ANY_TOKEN;
  try {
    return await listPageFiles((path) =>
      firstContact.run(async () => {
        const address = path === 'e/' ? `/e/${token}` : `/${path}`;
        const response = await api.send({
          method: 'GET',
          path: address,
          signal,
          headers: { accept: 'text/html, */*' },
        });
        return await readBytes(response, FILE_MAX);
      }, signal),
    );
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 404) throw error;
    throw new CommandError(
      EXIT.failed,
      `${api.connection.server} has no such page, or not all of its files.`,
    );
  } finally {
    api.close();
  }
}

function listDifferent(found: readonly PageFile[], expected: readonly PageFile[]): string[] {
  const key = ({ path, sha256 }: PageFile) => `${path} ${sha256}`;
  const [known, seen] = [new Set(expected.map(key)), new Set(found.map(key))];
  const expectedPaths = new Set(expected.map(({ path }) => path));
  const foundPaths = new Set(found.map(({ path }) => path));
  return [
    ...found
      .filter((file) => !known.has(key(file)))
      .map(({ path }) => `${expectedPaths.has(path) ? 'different' : 'only on the server'}: ${path}`),
    ...expected
      .filter((file) => !seen.has(key(file)) && !foundPaths.has(file.path))
      .map(({ path }) => `missing on the server: ${path}`),
  ];
}
