import type { Context } from '../../context.ts';
import { readFileWindows } from '../../platform/db/file-windows.ts';
import { AppError } from '../../platform/lib/app-error.ts';
import type { ZipPlan } from '../transfers/index.ts';
import { existsUnknownSum, listFileSums } from './queries.ts';

const RETRY_AFTER_SECONDS = 10;

/** Throws AppError `checksums_pending` while the SHA-256 of a file is still being computed. */
export async function requireChecksums({ db }: Pick<Context, 'db'>, transferId: string): Promise<void> {
  if (await existsUnknownSum(db, transferId))
    throw new AppError('checksums_pending', { retryAfterSeconds: RETRY_AFTER_SECONDS });
}

/**
 * The SHA-256 of every file as `sha256sum --check` reads it where the zip was unpacked, page by page: its names
 * are those of the zip. A damaged file is a comment. Files that have joined since the zip was planned are left out.
 */
export async function* listChecksums(
  { db }: Pick<Context, 'db'>,
  transferId: string,
  { layout: { entries } }: ZipPlan,
): AsyncGenerator<string> {
  const read = (after: number, upTo: number) => listFileSums(db, transferId, after, upTo);
  let index = 0;
  for await (const rows of readFileWindows(db, { transferId, after: -1, read })) {
    let lines = '';
    for (const { position, sha256, damagedAt } of rows) {
      if (index === entries.count || entries.positionOf(index) !== position) continue;
      const name = entries.nameAt(index);
      lines +=
        sha256 === null || damagedAt !== null ? `# damaged: ${escapeName(name)}\n` : formatSum(sha256, name);
      index += 1;
    }
    yield lines;
  }
  // The rows are gone when the transfer has been deleted meanwhile: no list that looks complete.
  if (index < entries.count) throw new AppError('transfer_not_found');
}

/** As GNU coreutils writes it: a name that would break the line is escaped, which a leading `\` tells. */
export function formatSum(sha256: string, name: string): string {
  const escaped = escapeName(name);
  return `${escaped === name ? '' : '\\'}${sha256}  ${escaped}\n`;
}

function escapeName(name: string): string {
  return name.replaceAll('\\', '\\\\').replaceAll('\n', '\\n').replaceAll('\r', '\\r');
}
