import ArrowDown from 'lucide-react/icons/arrow-down';
import BellRing from 'lucide-react/icons/bell-ring';
import CalendarClock from 'lucide-react/icons/calendar-clock';
import Check from 'lucide-react/icons/check';
import ChevronRight from 'lucide-react/icons/chevron-right';
import CircleAlert from 'lucide-react/icons/circle-alert';
import CircleCheck from 'lucide-react/icons/circle-check';
import CircleSlash from 'lucide-react/icons/circle-slash';
import Clock from 'lucide-react/icons/clock';
import Copy from 'lucide-react/icons/copy';
import File from 'lucide-react/icons/file';
import FileArchive from 'lucide-react/icons/file-archive';
import FileAudio from 'lucide-react/icons/file-audio';
import FileImage from 'lucide-react/icons/file-image';
import FileText from 'lucide-react/icons/file-text';
import FileVideo from 'lucide-react/icons/file-video';
import Folder from 'lucide-react/icons/folder';
import FolderDown from 'lucide-react/icons/folder-down';
import FolderOpen from 'lucide-react/icons/folder-open';
import Hourglass from 'lucide-react/icons/hourglass';
import KeyRound from 'lucide-react/icons/key-round';
import LockKeyhole from 'lucide-react/icons/lock-keyhole';
import Minus from 'lucide-react/icons/minus';
import Monitor from 'lucide-react/icons/monitor';
import Moon from 'lucide-react/icons/moon';
import Pause from 'lucide-react/icons/pause';
import Play from 'lucide-react/icons/play';
import ShieldAlert from 'lucide-react/icons/shield-alert';
import ShieldBan from 'lucide-react/icons/shield-ban';
import ShieldEllipsis from 'lucide-react/icons/shield-ellipsis';
import Sun from 'lucide-react/icons/sun';
import Unlink from 'lucide-react/icons/unlink';
import X from 'lucide-react/icons/x';
import { svg } from './dom.ts';

/** The build replaces each icon's component by the data it is drawn from; see web/build/encrypted-page.ts. */
const ICONS = {
  ArrowDown,
  BellRing,
  CalendarClock,
  Check,
  ChevronRight,
  CircleAlert,
  CircleCheck,
  CircleSlash,
  Clock,
  Copy,
  File,
  FileArchive,
  FileAudio,
  FileImage,
  FileText,
  FileVideo,
  Folder,
  FolderDown,
  FolderOpen,
  Hourglass,
  KeyRound,
  LockKeyhole,
  Minus,
  Monitor,
  Moon,
  Pause,
  Play,
  ShieldAlert,
  ShieldBan,
  ShieldEllipsis,
  Sun,
  Unlink,
  X,
};

export type IconName = keyof typeof ICONS;
type IconNode = [tag: string, attributes: Record<string, string>][];

/** Decorative: text beside it must say the same. */
export function icon(name: IconName, className = '', strokeWidth = 2): SVGElement {
  const node = ICONS[name] as unknown as IconNode;
  return svg(
    'svg',
    {
      viewBox: '0 0 24 24',
      width: 24,
      height: 24,
      fill: 'none',
      stroke: 'currentColor',
      'stroke-width': strokeWidth,
      'stroke-linecap': 'round',
      'stroke-linejoin': 'round',
      'aria-hidden': 'true',
      class: className,
    },
    ...node.map(([tag, attributes]) => svg(tag, attributes)),
  );
}

const BY_TYPE: [RegExp, IconName][] = [
  [/^image\//, 'FileImage'],
  [/^video\//, 'FileVideo'],
  [/^audio\//, 'FileAudio'],
  [/zip|compressed|x-tar|gzip/, 'FileArchive'],
  [/^text\/|pdf|msword|document|json|xml/, 'FileText'],
];

export function fileIcon(mimeType: string): IconName {
  return BY_TYPE.find(([pattern]) => pattern.test(mimeType))?.[1] ?? 'File';
}
