import type { Bytes } from '../../../../encryption/bytes.ts';
import { SaveError } from '../failures.ts';

/** Where an output goes. `abort` leaves nothing that looks like a complete file. Never throws. */
export type Sink = {
  /** The buffer then belongs to the sink, which frees it or transfers it. */
  write(bytes: Bytes): Promise<void>;
  /** Resolves when the bytes are where they belong. */
  close(): Promise<void>;
  abort(): Promise<void>;
};

/** Failures of the browser's file systems as SaveError. */
export async function writing<Result>(act: () => Promise<Result>): Promise<Result> {
  try {
    return await act();
  } catch (error) {
    if (error instanceof SaveError) throw error;
    const { name, message } = error as Error;
    if (name === 'NoModificationAllowedError') throw new SaveError({ kind: 'busy' });
    throw new SaveError({ kind: 'unwritable', reason: message });
  }
}
