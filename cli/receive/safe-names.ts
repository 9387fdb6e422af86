import { cleanPath, numberNamesInSteps, runSteps } from '../../contracts/values/unique-names.ts';

const WINDOWS_UNSAFE = /[<>:"|?*]/g;
const WINDOWS_DEVICE = /^(con|prn|aux|nul|conin\$|conout\$|(com|lpt)[0-9¹²³])(?=\.|$|\s)/i;

type Rules = {
  /** Also what Windows does not take. */
  isWindows: boolean;
};

/**
 * Where each file goes below the destination folder: relative, '/'-separated, never out of it, and unique as in the
 * server's zip. The names are cleaned here again, because a server is not trusted with our disk.
 */
export function safeNames(paths: readonly string[], rules: Rules): string[] {
  const cleanPart = rules.isWindows ? cleanForWindows : undefined;
  return runSteps(numberNamesInSteps(paths.map((path) => cleanPath(path, cleanPart))));
}

/**
 * Names that could do something where they are written: hidden ones at the root of the folder (`.bashrc` in a home) and
 * those that Windows reserves for devices (`nul`, also as part of a path).
 */
export function listSpecialNames(names: readonly string[]): string[] {
  return names.filter(
    (name) => name.startsWith('.') || name.split('/').some((part) => WINDOWS_DEVICE.test(part)),
  );
}

function cleanForWindows(part: string): string {
  const plain = part.replace(WINDOWS_UNSAFE, '_').replace(/[. ]+$/, (end) => '_'.repeat(end.length));
  return WINDOWS_DEVICE.test(plain) ? `_${plain}` : plain;
}
