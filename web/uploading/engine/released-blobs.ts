import { MIB } from '../../../contracts/values/sizes.ts';

const RELEASES_PER_COLLECTION = 8;
/** Enough for V8 to begin a collection. */
const PRESSURE_BYTES = 128 * MIB;

let releases = 0;
let pressure: ArrayBuffer | undefined;

/**
 * To be called whenever a Blob of some megabytes is no longer used, in the page or worker that had it. Chromium keeps it
 * until a garbage collection finds that nobody has it any more. The heap of an upload is small and does not grow, so
 * collections are rare: of 3 GiB, the browser still kept 1 GiB at the end. A large buffer makes one due. It takes no
 * memory, because nobody writes to it.
 */
export function noteReleasedBlob(): void {
  releases += 1;
  if (releases % RELEASES_PER_COLLECTION > 0) return;
  try {
    // Reading the previous one keeps the build from removing this as unused.
    if (pressure?.byteLength !== 0) pressure = new ArrayBuffer(PRESSURE_BYTES);
  } catch {
    // So little memory that collections happen anyway.
  }
}
