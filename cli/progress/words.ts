import { formatSize } from '../../contracts/values/sizes.ts';

export type Progress = {
  verb: string;
  bytes: number;
  totalBytes: number;
  files: number;
  totalFiles: number;
  bytesPerSecond?: number | undefined;
  secondsLeft?: number | undefined;
};

const BAR_COLUMNS = 24;
const EIGHTHS = ['', '▏', '▎', '▍', '▌', '▋', '▊', '▉'];

/** Fills in eighths of a character. `share` in [0, 1]. */
export function drawBar(share: number, columns = BAR_COLUMNS): { filled: string; rest: string } {
  const eighths = Math.round(Math.min(1, Math.max(0, share)) * columns * 8);
  const filled = '█'.repeat(Math.floor(eighths / 8)) + EIGHTHS[eighths % 8]!;
  return { filled, rest: '░'.repeat(columns - filled.length) };
}

/**
 * '42 %  1.2 GB of 3 GB  85 MB/s  21 s left'. The most important part comes first, because narrow terminals cut off
 * the end.
 */
export function describeProgress(progress: Progress): string {
  const { bytes, totalBytes, files, totalFiles, bytesPerSecond, secondsLeft } = progress;
  const parts = [
    `${String(percentOf(progress)).padStart(3)} %`,
    `${formatSize(bytes)} of ${formatSize(totalBytes)}`,
    totalFiles > 1 ? `${files} of ${totalFiles} files` : undefined,
    bytesPerSecond ? `${formatSize(bytesPerSecond)}/s` : undefined,
    secondsLeft !== undefined && bytes < totalBytes ? `${formatDuration(secondsLeft)} left` : undefined,
  ];
  return parts.filter((part) => part !== undefined).join('  ');
}

/** 100 only when everything is done. */
export function percentOf({ bytes, totalBytes }: Pick<Progress, 'bytes' | 'totalBytes'>): number {
  if (bytes >= totalBytes) return 100;
  return Math.min(99, Math.floor((bytes / totalBytes) * 100));
}

/** '8 s', '3 min 20 s', '2 h 5 min', '3 d 4 h'. */
export function formatDuration(seconds: number): string {
  const whole = Math.max(1, Math.round(seconds));
  const units = [
    { length: 86_400, name: 'd' },
    { length: 3_600, name: 'h' },
    { length: 60, name: 'min' },
    { length: 1, name: 's' },
  ];
  const first = units.findIndex(({ length }) => whole >= length);
  const [large, small] = [units[first]!, units[first + 1]];
  const rest = small ? Math.floor((whole % large.length) / small.length) : 0;
  const head = `${Math.floor(whole / large.length)} ${large.name}`;
  return rest > 0 ? `${head} ${rest} ${small!.name}` : head;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it replaces
const CONTROL = /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]+/g;

/** Replaces control characters, so that text from others cannot move the cursor or color the terminal. */
export function toOneLine(text: string): string {
  return text.replace(CONTROL, ' ').trim();
}

/** Ends a message with exactly one full stop: network errors have none, the server's sentences do. */
export function toSentence(message: string): string {
  return /[.?!…]$/.test(message) ? message : `${message}.`;
}
