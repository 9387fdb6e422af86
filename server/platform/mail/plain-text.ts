/** Including those that change the reading direction. */
const STEERING = /[\p{Cc}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/gu;
const LINE_BREAKS = /\r\n?|[\v\f\u0085\u2028\u2029]/g;

/** Keeps line breaks, removes control characters. */
export function toPlainText(text: string): string {
  return text
    .toWellFormed()
    .replace(LINE_BREAKS, '\n')
    .replace(STEERING, (character) => (character === '\n' || character === '\t' ? character : ''));
}

export function toOneLine(text: string, maxLength: number): string {
  const line = toPlainText(text).replace(/\s+/g, ' ').trim();
  const characters = [...line];
  return characters.length <= maxLength
    ? line
    : `${characters
        .slice(0, maxLength - 1)
        .join('')
        .trimEnd()}…`;
}

const SUBJECT_LENGTH = 140;

/** One line of limited length. Breaks up encoded words (RFC 2047), which mail programs would decode. */
export function toSubject(text: string): string {
  return toOneLine(text.replaceAll('=?', '= ?'), SUBJECT_LENGTH);
}

/** What replaces a link. Mails pass its translation. */
const REMOVED_LINK = '[link removed]';

/** Mail programs always link these: `https://…`, `mailto:…`. */
const WITH_SCHEME = /[a-z][a-z0-9+.-]{0,30}:\/\/\S*/giu;
const WITH_SHORT_SCHEME =
  /(?<![\p{L}\p{N}])(?:mailto|tel|sms|callto|skype|facetime|whatsapp|tg|magnet|bitcoin):\S+/giu;

/** Not top-level domains, so mail programs don't link `plan.pdf`. */
const FILE_TYPES = [
  'pdf docx? xlsx? pptx? txt csv rtf odt ods odp pages key numbers epub html? css js ts json xml ya?ml sql log',
  'jpe?g png gif webp heic tiff? svg psd indd eps raw bmp wav flac aac ogg avi mkv webm srt',
  'rar tar gz tgz xz iso exe dmg pkg apk msi dll ttf otf woff ics',
];

/**
 * Dots that mail programs recognize in host names: after a letter or digit, before a label that starts with
 * two letters (not `song.mp3`). Some also accept the full-width and the ideographic full stop. `\p{M}`
 * matches combining marks.
 */
const HOST_DOT = new RegExp(
  String.raw`(?<=[\p{L}\p{N}\p{M}_-])(?:[.．](?=\p{L}{2})|[。｡](?=[a-z]{2}))(?!\p{L}+\p{N})` +
    String.raw`(?!(?:${FILE_TYPES.join(' ').replaceAll(' ', '|')})(?![\p{L}\p{N}\p{M}_-]))`,
  'giu',
);
const IPV4_DOT = /(?<=\d\.\d{1,3}\.\d{1,3})\.(?=\d)/g;

/**
 * Removes everything that mail programs turn into links. URLs become `mark`; host names and email
 * addresses get a space before each dot: `example .org`.
 */
export function removeLinks(text: string, mark = REMOVED_LINK): string {
  return toPlainText(text)
    .replace(WITH_SCHEME, () => mark)
    .replace(WITH_SHORT_SCHEME, () => mark)
    .replace(HOST_DOT, ' $&')
    .replace(IPV4_DOT, ' $&');
}

/** Allows `.zip` and `.mov` at the end, although these are top-level domains. */
export function removeLinksFromFileName(name: string, mark = REMOVED_LINK): string {
  const type = /\.(?:zip|mov)$/i.exec(name)?.[0] ?? '';
  return removeLinks(name.slice(0, name.length - type.length), mark) + type;
}

/** For `nameTransfer`. */
export function removeLinksFromNames<Named extends { title: string | null; firstFileName: string | null }>(
  transfer: Named,
  mark = REMOVED_LINK,
): Named {
  const { title, firstFileName } = transfer;
  return {
    ...transfer,
    title: title && removeLinks(title, mark),
    firstFileName: firstFileName && removeLinksFromFileName(firstFileName, mark),
  };
}
