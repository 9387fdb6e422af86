import type { Context } from '../../context.ts';
import { AppError } from '../../platform/lib/app-error.ts';
import { nameEntries } from '../../platform/zip/entry-names.ts';
import { listFileSums, type Share } from './queries.ts';

const RETRY_AFTER_SECONDS = 10;

/**
 * The SHA-256 of every file as `sha256sum --check` reads it where the zip was unpacked: its names are the
 * zip's. A damaged file is a comment. Throws AppError `checksums_pending` while one is still being computed.
 */
export async function listChecksums({ db }: Pick<Context, 'db'>, { id }: Share): Promise<string> {
  const files = await listFileSums(db, id);
  if (files.some(({ sha256, damagedAt }) => sha256 === null && damagedAt === null)) {
    throw new AppError('checksums_pending', { retryAfterSeconds: RETRY_AFTER_SECONDS });
  }
  const names = nameEntries(files.map(({ relativePath }) => ({ path: relativePath })));
  const lines = files.map(({ sha256, damagedAt }, index) =>
    sha256 === null || damagedAt !== null
      ? `# damaged: ${escapeName(names[index]!)}\n`
      : formatSum(sha256, names[index]!),
  );
  return lines.join('');
}

/** As GNU coreutils writes it: a name that would break the line is escaped, which a leading `\` tells. */
export function formatSum(sha256: string, name: string): string {
  const escaped = escapeName(name);
  return `${escaped === name ? '' : '\\'}${sha256}  ${escaped}\n`;
}

function escapeName(name: string): string {
  return name.replaceAll('\\', '\\\\').replaceAll('\n', '\\n').replaceAll('\r', '\\r');
}
