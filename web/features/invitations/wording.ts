import { countOf } from '../../../contracts/values/format.ts';
import { formatSize } from '../../../contracts/values/sizes.ts';

/** '3 files · 12 MB' */
export function describeFiles(count: number, bytes: number): string {
  return `${countOf(count, 'file')} · ${formatSize(bytes)}`;
}
