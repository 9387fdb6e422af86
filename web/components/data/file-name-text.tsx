import { splitFileName } from '../../../contracts/values/names/file-names.ts';
import { classNames } from '../../lib/class-names.ts';

/** Shorter names are seldom cut. */
const SHORT = 20;

/** A file name on one line. A name that is too long is cut in the middle, so that its extension stays visible. */
export function FileNameText({ name, className }: { name: string; className?: string }) {
  const { stem, tail } = splitFileName(name);
  return (
    <span className={classNames('flex min-w-0', className)} title={name}>
      {name.length <= SHORT ? (
        <bdi className="truncate">{name}</bdi>
      ) : (
        <>
          <span className="sr-only">{name}</span>
          {/* Two boxes, which screen readers would read as two words. */}
          <bdi aria-hidden="true" className="flex min-w-0 whitespace-pre">
            <span className="min-w-0 overflow-hidden text-ellipsis">{stem}</span>
            <span className="shrink-0">{tail}</span>
          </bdi>
        </>
      )}
    </span>
  );
}
