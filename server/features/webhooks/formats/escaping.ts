/**
 * Escapes a text and shortens it to `max` UTF-16 units after escaping, with an ellipsis. Never cuts a character or an
 * escape in two.
 */
export function escapeUpTo(
  text: string,
  max: number,
  escapeCharacter: (character: string) => string = (character) => character,
): string {
  let fitting = '';
  let escaped = '';
  for (const character of text) {
    escaped += escapeCharacter(character);
    if (escaped.length > max) return `${fitting.trimEnd()}…`;
    if (escaped.length < max) fitting = escaped;
  }
  return escaped;
}

/** Shortens a text to `max` bytes of UTF-8. */
export function cutBytes(text: string, max: number): string {
  if (Buffer.byteLength(text) <= max) return text;
  let cut = '';
  let bytes = Buffer.byteLength('…');
  for (const character of text) {
    bytes += Buffer.byteLength(character);
    if (bytes > max) break;
    cut += character;
  }
  return `${cut.trimEnd()}…`;
}
