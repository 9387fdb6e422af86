import { constants, setPriority } from 'node:os';

/** Uploads and downloads come first. A process that has ended already has no priority to lower. */
export function lowerPriority(pid: number | undefined): void {
  try {
    if (pid !== undefined) setPriority(pid, constants.priority.PRIORITY_BELOW_NORMAL);
  } catch {
    // Nothing depends on it.
  }
}
