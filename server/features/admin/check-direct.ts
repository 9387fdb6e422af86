import { type DirectAccess, DirectRefusal } from '../../platform/storage/blob-store.ts';
import type { Check } from './check-result.ts';

/** Whether browsers may go straight to the bucket. Without it everything works, through this server. */
export function checkDirect(direct: DirectAccess, publicUrl: string): Check {
  return {
    name: 'storage-direct',
    title: 'Straight to the bucket',
    look: async () => {
      try {
        await direct.prove(new URL(publicUrl).origin);
        const found = `Browsers send to and read from ${direct.origin} themselves: signed addresses, CORS and checksums work.`;
        return { state: 'ok', found };
      } catch (error) {
        if (!(error instanceof DirectRefusal)) throw error;
        const found = `${error.message} All bytes go through this server meanwhile.`;
        return { state: 'warning', found, fix: error.fix };
      }
    },
    fixOf: () => 'See the storage check first.',
  };
}
