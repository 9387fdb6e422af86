import { findInvitationBreach, type InvitationLimits } from '../../../contracts/transfers/invitations.ts';
import { AppError } from '../../platform/lib/app-error.ts';

type Amount = { files: number; bytes: number };

/** Files of the forms that are arriving at this process. */
type Arriving = Amount & { forms: number };

/** By what they are held against together. */
const arriving = new Map<string, Arriving>();

/** The room that a form has while it arrives; `leave` when it does so no more. */
export type FormRoom = {
  /** Begins a file; what it returns counts the file's bytes. Both throw the refusals of `findInvitationBreach`. */
  enter(name: string): (bytes: number) => void;
  leave(): void;
};

/**
 * Holds a form against the limits while it arrives, together with what was used when it began and all forms that
 * arrive meanwhile, so that they do not fill the disk with what cannot be taken. What it lets pass is judged
 * once more where it is announced.
 */
export function openFormRoom(
  key: string,
  { limits, used }: { limits: InvitationLimits; used: Amount },
): FormRoom {
  const all = arriving.get(key) ?? { forms: 0, files: 0, bytes: 0 };
  arriving.set(key, all);
  all.forms += 1;
  const mine = { files: 0, bytes: 0 };
  const count = ({ files, bytes }: Amount) => {
    for (const amount of [all, mine]) {
      amount.files += files;
      amount.bytes += bytes;
    }
  };
  const requireRoom = (file: { name: string; sizeBytes: number }) => {
    const others = { files: used.files + all.files - 1, bytes: used.bytes + all.bytes - file.sizeBytes };
    const breach = findInvitationBreach([file], limits, others);
    if (breach) throw new AppError(breach.code, { details: breach.details });
  };
  return {
    enter(name) {
      const file = { name, sizeBytes: 0 };
      count({ files: 1, bytes: 0 });
      requireRoom(file);
      return (bytes) => {
        count({ files: 0, bytes });
        file.sizeBytes += bytes;
        requireRoom(file);
      };
    },
    leave() {
      count({ files: -mine.files, bytes: -mine.bytes });
      all.forms -= 1;
      if (all.forms === 0) arriving.delete(key);
    },
  };
}
