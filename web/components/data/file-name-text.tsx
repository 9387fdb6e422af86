import { splitFileName } from '../../../contracts/values/file-names.ts';
import { classNames } from '../../lib/class-names.ts';

/** Shorter names are seldom cut. */
const SHORT = 20;

/** A file name on one line. A name that is too long is cut in the middle, so that its extension stays visible. */
export function FileNameText({ name, className }: { name: string; className?: string }) {
  if (name.length <= SHORT)
    return (
      <bdi className={classNames('block truncate', className)} title={name}>
        {name}
      </bdi>
    );
  const { stem, tail } = splitFileName(name);
  return (
    <bdi className={classNames('block min-w-0', className)} title={name}>
      <span className="sr-only">{name}</span>
      {/* Two boxes, which screen readers would read as two words. */}
      <span aria-hidden="true" className="flex min-w-0 whitespace-pre">
        <span className="min-w-0 overflow-hidden text-ellipsis">{stem}</span>
        <span className="shrink-0">{tail}</span>
      </span>
    </bdi>
  );
}
