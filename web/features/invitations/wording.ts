import { plural } from '@lingui/core/macro';
import { formatSize } from '../../../contracts/values/sizes.ts';

/** '3 files · 12 MB' */
export function describeFiles(count: number, bytes: number): string {
  return `${plural(count, { one: '# file', other: '# files' })} · ${formatSize(bytes)}`;
}
