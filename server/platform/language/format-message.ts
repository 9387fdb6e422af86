export type MessageValues = Readonly<Record<string, string | number>>;

type Part = string | { name: string } | { counted: string; branches: Map<string, Part[]> };

/** How a language counts. */
export type Counting = { pluralOf(count: number): string; formatCount(count: number): string };

/**
 * Fills in a message of the subset of ICU MessageFormat that mails use: `{name}` and
 * `{count, plural, one {# file} other {# files}}`. Numbers are formatted. Values are inserted as they are, so
 * braces in them mean nothing. Throws for a value that is missing.
 */
export function formatMessage(message: string, values: MessageValues, counting: Counting): string {
  return fill(parseMessage(message), values, counting);
}

/** Throws for a message that is not well-formed. */
function parseMessage(message: string): Part[] {
  const { parts, end } = parseParts(message, 0, undefined);
  if (end < message.length) throw new Error(`Unexpected "}" in the message: ${message}`);
  return parts;
}

/** The names of the values that a message uses, each once and in alphabetical order. */
export function listValueNames(message: string): string[] {
  const names = (parts: Part[]): string[] =>
    parts.flatMap((part) => {
      if (typeof part === 'string') return [];
      if ('name' in part) return [part.name];
      return [part.counted, ...[...part.branches.values()].flatMap(names)];
    });
  return [...new Set(names(parseMessage(message)))].toSorted();
}

const PLACEHOLDER = /\{(\w+)\}/y;
const PLURAL = /\{(\w+), plural,/y;
const BRANCH = /\s*(=\d+|zero|one|two|few|many|other) \{/y;
const PLURAL_END = /\s*\}/y;

/** `counted`: the value that `#` stands for. Ends behind the text or at an unmatched `}`. */
function parseParts(message: string, start: number, counted: string | undefined) {
  const parts: Part[] = [];
  let end = start;
  while (end < message.length && message[end] !== '}') {
    const placeholder = matchAt(PLACEHOLDER, message, end);
    const plural = matchAt(PLURAL, message, end);
    if (placeholder) {
      parts.push({ name: placeholder[1]! });
      end += placeholder[0].length;
    } else if (plural) {
      const name = plural[1]!;
      const parsed = parseBranches(message, end + plural[0].length, name);
      parts.push({ counted: name, branches: parsed.branches });
      end = parsed.end;
    } else if (message[end] === '{') {
      throw new Error(`Unexpected "{" in the message: ${message}`);
    } else if (message[end] === '#' && counted !== undefined) {
      parts.push({ name: counted });
      end += 1;
    } else {
      parts.push(message[end]!);
      end += 1;
    }
  }
  return { parts, end };
}

function parseBranches(message: string, start: number, counted: string) {
  const branches = new Map<string, Part[]>();
  let end = start;
  for (let branch = matchAt(BRANCH, message, end); branch; branch = matchAt(BRANCH, message, end)) {
    const parsed = parseParts(message, end + branch[0].length, counted);
    branches.set(branch[1]!, parsed.parts);
    end = parsed.end + 1;
  }
  const close = matchAt(PLURAL_END, message, end);
  if (!close || !branches.has('other')) throw new Error(`A plural is not well-formed: ${message}`);
  return { branches, end: end + close[0].length };
}

function matchAt(pattern: RegExp, text: string, index: number): RegExpExecArray | null {
  pattern.lastIndex = index;
  return pattern.exec(text);
}

function fill(parts: Part[], values: MessageValues, counting: Counting): string {
  return parts
    .map((part) => {
      if (typeof part === 'string') return part;
      if ('name' in part) return formatValue(part.name, values, counting);
      const count = Number(values[part.counted]);
      if (Number.isNaN(count)) throw new Error(`The value "${part.counted}" is not a number.`);
      const { branches } = part;
      const branch = branches.get(`=${count}`) ?? branches.get(counting.pluralOf(count));
      return fill(branch ?? branches.get('other')!, values, counting);
    })
    .join('');
}

function formatValue(name: string, values: MessageValues, { formatCount }: Counting): string {
  const value = values[name];
  if (value === undefined) throw new Error(`The value "${name}" of a message is missing.`);
  return typeof value === 'number' ? formatCount(value) : value;
}
