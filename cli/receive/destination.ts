import { Option } from 'commander';
import { CommandError, EXIT } from '../../command-line/exit-codes.ts';
import { ask, isYes } from '../../command-line/prompts.ts';
import type { Run } from '../command.ts';
import { listSpecialNames } from './safe-names.ts';
import { describeNames } from './staging/place-files.ts';

export type DestinationOptions = {
  to?: string;
  force?: true;
  allowSpecialNames?: true;
  portableNames?: true;
};

export const FORCE_OPTION = new Option('--force', 'Overwrite existing files');

export const DESTINATION_OPTIONS = [
  new Option('--to <folder>', 'Destination folder; by default the current one'),
  FORCE_OPTION,
  new Option(
    '--allow-special-names',
    'Write hidden files at the root of the folder, and names that Windows reserves, without asking',
  ),
  new Option('--portable-names', 'Replace characters and names that Windows does not allow, as on Windows'),
];

/**
 * Asks before writing hidden files at the root of the folder, or reserved names. Throws CommandError if the answer is
 * no or there is no terminal.
 */
export async function confirmSpecialNames(
  { options, screen }: Run<unknown[], DestinationOptions>,
  to: string,
  names: readonly string[],
): Promise<void> {
  if (options.allowSpecialNames) return;
  const specialNames = listSpecialNames(names);
  if (specialNames.length === 0) return;
  const warning = `This transfer contains hidden or reserved names: ${describeNames(specialNames)}.`;
  const isForProgram = options.json === true || options.progress === 'json';
  if (!isForProgram && process.stdin.isTTY && process.stderr.isTTY) {
    screen.say(warning);
    if (isYes((await ask(`Write them to ${to}? [y/N] `)) ?? '')) return;
    throw new CommandError(EXIT.failed, 'Nothing was written.');
  }
  throw new CommandError(
    EXIT.failed,
    `${warning} Nothing was written. To write them, add --allow-special-names.`,
    { specialNames },
  );
}
