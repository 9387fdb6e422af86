import { classNames } from '../../lib/class-names.ts';
import { FileIcon } from '../file-icon.tsx';
import { Picture } from './picture.tsx';

type ThumbnailProps = {
  /** undefined: there is none, and the kind's icon stands in its place. */
  src?: string | undefined;
  name: string;
  mimeType?: string | null | undefined;
  /** The box's size and corners. */
  box?: string;
  className?: string | undefined;
};

/** A small picture of a file beside its name, in a box of one size whether it comes, fails or does not exist. */
export function Thumbnail({ src, name, mimeType, box = 'size-10 rounded-xs', className }: ThumbnailProps) {
  return (
    <span
      className={classNames(
        'grid shrink-0 place-items-center overflow-hidden',
        box,
        src !== undefined && 'bg-press',
        className,
      )}
    >
      <Picture src={src} className="size-full object-cover">
        <FileIcon fileName={name} mimeType={mimeType ?? null} />
      </Picture>
    </span>
  );
}
