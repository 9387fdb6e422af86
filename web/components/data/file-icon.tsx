import {
  File,
  FileArchive,
  FileAudio,
  FileChartPie,
  FileCode,
  FileImage,
  FileSpreadsheet,
  FileText,
  FileType,
  FileVideo,
  type LucideIcon,
} from 'lucide-react';
import { classNames } from '../../lib/class-names.ts';

type FileIconProps = { fileName: string; mimeType?: string | null; className?: string };

const BY_MIME: [RegExp, LucideIcon][] = [
  [/^image\//, FileImage],
  [/^video\//, FileVideo],
  [/^audio\//, FileAudio],
  [/^font\//, FileType],
  [/zip|compressed|x-tar|gzip/, FileArchive],
  [/spreadsheet|excel|csv/, FileSpreadsheet],
  [/presentation|powerpoint/, FileChartPie],
  [/pdf|msword|wordprocessing|opendocument|rtf/, FileText],
  [/json|xml|javascript|html|css/, FileCode],
  [/^text\//, FileText],
];

const BY_EXTENSION: [RegExp, LucideIcon][] = [
  [/\.(jpe?g|png|gif|webp|avif|heic|tiff?|svg|psd|ai|raw|cr[23]|nef|dng)$/i, FileImage],
  [/\.(mp4|mov|mkv|avi|webm|mxf|m4v)$/i, FileVideo],
  [/\.(mp3|wav|flac|aac|ogg|m4a|aiff?)$/i, FileAudio],
  [/\.(zip|rar|7z|tar|gz|bz2|xz|zst|tgz)$/i, FileArchive],
  [/\.(xlsx?|csv|ods|numbers)$/i, FileSpreadsheet],
  [/\.(pptx?|odp|key)$/i, FileChartPie],
  [/\.(jsx?|tsx?|py|rb|go|rs|c|cpp|h|java|sh|json|xml|html?|css|sql|ya?ml)$/i, FileCode],
  [/\.(pdf|docx?|odt|txt|md|rtf|pages)$/i, FileText],
  [/\.(ttf|otf|woff2?)$/i, FileType],
];

/** Decorative: the file name is next to it. */
export function FileIcon({ fileName, mimeType, className }: FileIconProps) {
  const Icon = findIcon(fileName, mimeType ?? '');
  return (
    <Icon
      aria-hidden="true"
      strokeWidth={1.5}
      className={classNames('size-6 shrink-0 text-ink-faint', className)}
    />
  );
}

function findIcon(fileName: string, mimeType: string): LucideIcon {
  const byMime = BY_MIME.find(([pattern]) => pattern.test(mimeType));
  const match = byMime ?? BY_EXTENSION.find(([pattern]) => pattern.test(fileName));
  return match?.[1] ?? File;
}
