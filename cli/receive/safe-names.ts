import { cleanPath, numberNamesInSteps, runSteps } from '../../contracts/values/names/unique-names.ts';

const WINDOWS_UNSAFE = /[<>:"|?*]/g;
const WINDOWS_DEVICE = /^(con|prn|aux|nul|conin\$|conout\$|(com|lpt)[0-9¹²³])(?=\.|$|\s)/i;

type Rules = {
  /** Also replace characters and names that Windows does not allow. */
  isWindows: boolean;
};

/**
 * Returns a relative, '/'-separated path for each file: never outside the destination folder, and unique as in the
 * server's zip. Cleans the names again, because a malicious server must not write elsewhere.
 */
export function safeNames(paths: readonly string[], rules: Rules): string[] {
  const cleanPart = rules.isWindows ? cleanForWindows : undefined;
  return runSteps(numberNamesInSteps(paths.map((path) => cleanPath(path, cleanPart))));
}

/**
 * Names with side effects: hidden files at the root of the folder (`.bashrc` in a home folder), and names that
 * Windows reserves for devices (`nul`, also as part of a path).
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
