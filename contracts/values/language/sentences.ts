type Values = Record<string, string>;

/** A message and the values that a sentence has in the places of its placeholders. */
export type ReadSentence = { message: string; values: Values };

type Pattern = { message: string; start: string; end: string; pattern: RegExp; names: string[] };

/** Longer sentences are cut-and-pasted input, which is not worth the time. */
const SENTENCE_MAX = 1_000;

/**
 * Finds the message that a finished English sentence comes from: 'Please use at most 50 characters.' is the message
 * 'Please use at most {0} characters.' with the value '50'. Zod and errors have finished sentences only, and a later
 * step knows the language of their reader. Of several messages the one with the most text wins.
 */
export function createSentenceReader(
  messages: Iterable<string>,
): (sentence: string) => ReadSentence | undefined {
  const fixed = new Set<string>();
  const patterns: Pattern[] = [];
  for (const message of messages) {
    const parts = message.split(/\{(\w+)\}/);
    if (parts.length === 1) fixed.add(message);
    // A plural is never part of a finished sentence.
    else if (!/[{}]/.test(parts.filter((_, index) => index % 2 === 0).join('')))
      patterns.push(toPattern(message, parts));
  }
  patterns.sort((one, other) => textLength(other) - textLength(one));
  return (sentence) => {
    if (sentence.length > SENTENCE_MAX) return undefined;
    if (fixed.has(sentence)) return { message: sentence, values: {} };
    for (const { message, start, end, pattern, names } of patterns) {
      if (!sentence.startsWith(start) || !sentence.endsWith(end)) continue;
      const match = pattern.exec(sentence);
      if (match)
        return { message, values: Object.fromEntries(names.map((name, index) => [name, match[index + 1]!])) };
    }
    return undefined;
  };
}

/** Texts and names of placeholders take turns in `parts`. */
function toPattern(message: string, parts: string[]): Pattern {
  const source = parts.map((part, index) => (index % 2 ? '(.+?)' : escapePattern(part))).join('');
  return {
    message,
    start: parts[0]!,
    end: parts.at(-1)!,
    pattern: new RegExp(`^${source}$`, 's'),
    names: parts.filter((_, index) => index % 2),
  };
}

function escapePattern(text: string): string {
  return text.replace(/[$()*+.?[\\\]^{|}]/g, '\\$&');
}

function textLength({ message, names }: Pattern): number {
  return message.length - names.join('{}').length;
}
