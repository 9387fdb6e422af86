import { createReadStream } from 'node:fs';
import { createGunzip } from 'node:zlib';
import { CommandError, EXIT } from '../../../command-line/exit-codes.ts';
import { MIB } from '../../../contracts/values/sizes.ts';

export type DumpValue = string | number | null;

export type DumpStatement =
  | { kind: 'create'; table: string; columns: string[] }
  | { kind: 'insert'; table: string; columns: string[] | undefined; rows: DumpValue[][] };

/** `mysqldump` splits its statements at about 1 MiB; one row cannot be larger than `max_allowed_packet`. */
const STATEMENT_MAX = 64 * MIB;

/**
 * The tables and rows in an SQL file that `mysqldump` or `mariadb-dump` wrote, one statement at a time; other statements
 * are ignored. `.gz` files are unpacked. Throws CommandError with the place for SQL that dumps don't contain.
 */
export async function* readDump(path: string): AsyncGenerator<DumpStatement> {
  for await (const { sql, line } of splitStatements(path)) {
    const parsed = new StatementParser(sql, line).parse();
    if (parsed) yield parsed;
  }
}

type Statement = { sql: string; line: number };

/** Cuts at semicolons outside of strings, quoted names and comments. */
async function* splitStatements(path: string): AsyncGenerator<Statement> {
  const file = createReadStream(path, { highWaterMark: MIB });
  const bytes = path.endsWith('.gz') ? file.pipe(createGunzip()) : file;
  if (bytes !== file) file.once('error', (error) => bytes.destroy(error));
  const decoder = new TextDecoder();
  let rest = '';
  let line = 1;
  for await (const piece of bytes) {
    rest += decoder.decode(piece, { stream: true });
    let start = 0;
    for (let end = findEnd(rest, start); end !== -1; end = findEnd(rest, start)) {
      const sql = rest.slice(start, end);
      yield { sql, line };
      line += countLines(sql);
      start = end + 1;
    }
    rest = rest.slice(start);
    if (rest.length > STATEMENT_MAX) throw wrong(line, 'a statement of more than 64 MB');
  }
  if (withoutComments(rest).trim() !== '') throw wrong(line, 'an unfinished statement; the dump was cut off');
}

/** Strings, quoted names and comments, in which a semicolon does not end the statement; and the semicolon. */
const OPAQUE =
  /'[^'\\]*(?:(?:\\.|'')[^'\\]*)*'|"[^"\\]*(?:(?:\\.|"")[^"\\]*)*"|`[^`]*`|\/\*.*?\*\/|(?:--[ \t]|--(?=\n)|#)[^\n]*\n|;/gs;
const OPENING = /['"`]|\/\*|--(?=[ \t\n])|#/;

/** -1 if the statement goes on in the next piece. */
function findEnd(text: string, start: number): number {
  OPAQUE.lastIndex = start;
  let checked = start;
  for (let match = OPAQUE.exec(text); match; match = OPAQUE.exec(text)) {
    // A string, name or comment began earlier and is not closed yet.
    if (OPENING.test(text.slice(checked, match.index))) return -1;
    if (match[0] === ';') return match.index;
    checked = OPAQUE.lastIndex;
  }
  return -1;
}

function withoutComments(sql: string): string {
  return sql.replace(/\/\*.*?\*\/|(?:--[ \t]|--(?=\n|$)|#)[^\n]*(\n|$)/gs, ' ');
}

function countLines(sql: string): number {
  let count = 0;
  for (let at = sql.indexOf('\n'); at !== -1; at = sql.indexOf('\n', at + 1)) count += 1;
  return count;
}

function wrong(line: number, what: string): CommandError {
  return new CommandError(EXIT.failed, `The dump has ${what} (at or after line ${line}).`);
}

const SPACE = /(?:\s+|\/\*.*?\*\/|(?:--[ \t]|--(?=\n)|#)[^\n]*\n)*/sy;
const NAME = /`((?:[^`]|``)+)`|([A-Za-z_$][\w$]*)/y;
const NUMBER = /-?\d+(?:\.\d+)?(?:e[+-]?\d+)?(?![\w.])/iy;
const STRING = /'([^'\\]*(?:(?:\\.|'')[^'\\]*)*)'/sy;
const HEX = /0x([0-9a-f]*)(?!\w)|x'([0-9a-f]*)'/iy;
const CHARSET = /_(?:binary|utf8mb4|utf8mb3|utf8|latin1)\s*(?=['x0])/iy;
const CREATE = /create\s+table\s+(?:if\s+not\s+exists\s+)?/iy;
const INSERT = /(?:insert(?:\s+ignore)?|replace)\s+into\s+/iy;

class StatementParser {
  readonly #sql: string;
  readonly #line: number;
  #at = 0;

  constructor(sql: string, line: number) {
    this.#sql = sql;
    this.#line = line;
  }

  parse(): DumpStatement | undefined {
    this.#take(SPACE);
    if (this.#take(CREATE)) return this.#parseCreate();
    if (this.#take(INSERT)) return this.#parseInsert();
    return undefined;
  }

  /** `mysqldump` writes one column per line, quoted; keys and constraints begin with a word. */
  #parseCreate(): DumpStatement {
    const table = this.#name();
    const body = this.#sql.slice(this.#at);
    const columns = [...body.matchAll(/^\s*`((?:[^`]|``)+)`\s+\w/gm)].map(([, name]) => unquoteName(name!));
    return { kind: 'create', table, columns };
  }

  #parseInsert(): DumpStatement {
    const table = this.#name();
    const columns = this.#peek() === '(' ? this.#list(() => this.#name()) : undefined;
    this.#word('values');
    const rows: DumpValue[][] = [];
    do rows.push(this.#list(() => this.#value()));
    while (this.#skip(','));
    this.#take(SPACE);
    if (this.#at < this.#sql.length) throw this.#unexpected();
    return { kind: 'insert', table, columns, rows };
  }

  #list<T>(read: () => T): T[] {
    if (!this.#skip('(')) throw this.#unexpected();
    const items: T[] = [];
    do items.push(read());
    while (this.#skip(','));
    if (!this.#skip(')')) throw this.#unexpected();
    return items;
  }

  #name(): string {
    this.#take(SPACE);
    let match = this.#take(NAME);
    // A dump of all databases names the database, too.
    if (match && this.#skip('.')) match = this.#take(NAME);
    if (!match) throw this.#unexpected();
    return unquoteName(match[1] ?? match[2]!);
  }

  #value(): DumpValue {
    this.#take(SPACE);
    this.#take(CHARSET);
    const string = this.#take(STRING);
    if (string) return unescapeText(string[1]!);
    const number = this.#take(NUMBER);
    if (number) return toNumber(number[0]);
    const hex = this.#take(HEX);
    if (hex) return Buffer.from(hex[1] ?? hex[2]!, 'hex').toString();
    if (this.#take(/null(?!\w)/iy)) return null;
    if (this.#take(/true(?!\w)/iy)) return 1;
    if (this.#take(/false(?!\w)/iy)) return 0;
    throw this.#unexpected();
  }

  #word(word: string): void {
    this.#take(SPACE);
    if (!this.#take(new RegExp(`${word}(?!\\w)`, 'iy'))) throw this.#unexpected();
  }

  #peek(): string | undefined {
    this.#take(SPACE);
    return this.#sql[this.#at];
  }

  #skip(character: string): boolean {
    if (this.#peek() !== character) return false;
    this.#at += 1;
    return true;
  }

  #take(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.#at;
    const match = pattern.exec(this.#sql);
    if (match) this.#at = pattern.lastIndex;
    return match;
  }

  #unexpected(): CommandError {
    const line = this.#line + countLines(this.#sql.slice(0, this.#at));
    const found = this.#sql.slice(this.#at, this.#at + 20).trim();
    return wrong(line, found ? `something unexpected: ${found}` : 'a statement that ends too early');
  }
}

function unquoteName(name: string): string {
  return name.replaceAll('``', '`');
}

/** A whole number beyond 2^53 stays text, so that no digit is lost. */
function toNumber(text: string): string | number {
  const number = Number(text);
  return Number.isInteger(number) && !Number.isSafeInteger(number) ? text : number;
}

const ESCAPES: Record<string, string> = { 0: '\0', b: '\b', n: '\n', r: '\r', t: '\t', Z: '\x1a' };

/** String literals of MySQL: https://dev.mysql.com/doc/refman/8.4/en/string-literals.html */
function unescapeText(text: string): string {
  return text.replace(/\\(.)|''/gs, (_match, character?: string) =>
    character === undefined ? "'" : (ESCAPES[character] ?? character),
  );
}
