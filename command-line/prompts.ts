import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { usageError } from './exit-codes.ts';

const INPUT_MAX_BYTES = 1024 * 1024;

/**
 * Prompts on standard error. Hidden answers are not echoed and keep their spaces. Returns undefined if standard input
 * is not a terminal, '' on Ctrl-D.
 */
export async function ask(
  question: string,
  { hidden = false }: { hidden?: boolean } = {},
): Promise<string | undefined> {
  if (!process.stdin.isTTY) return undefined;
  const nowhere = new Writable({ write: (_bytes, _encoding, done) => done() });
  const output = hidden ? nowhere : process.stderr;
  const lines = createInterface({ input: process.stdin, output, terminal: true });
  const closed = new Promise<string>((resolve) => lines.once('close', () => resolve('')));
  // In raw mode, Ctrl-C is a key and not a signal.
  lines.once('SIGINT', () => process.kill(process.pid, 'SIGINT'));
  if (hidden) process.stderr.write(question);
  const answer = await Promise.race([lines.question(question), closed]).catch(() => '');
  lines.close();
  process.stdin.pause();
  if (hidden) process.stderr.write('\n');
  return hidden ? answer : answer.trim();
}

export function isYes(answer: string): boolean {
  return /^y(es)?$/i.test(answer.trim());
}

/** Prompts at a terminal; otherwise reads the first line of standard input. Throws CommandError if it is empty. */
export async function readSecret(question: string): Promise<string> {
  const line = (await ask(question, { hidden: true })) ?? (await readFirstLine());
  if (!line) throw usageError('No password or key was entered.');
  return line;
}

async function readFirstLine(): Promise<string> {
  try {
    for await (const line of createInterface({ input: process.stdin })) return line;
    return '';
  } finally {
    process.stdin.pause();
  }
}

/** Everything until the end of standard input. Throws CommandError for more than 1 MiB. */
export async function readAllInput(): Promise<string> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  for await (const piece of process.stdin as AsyncIterable<Buffer>) {
    bytes += piece.length;
    if (bytes > INPUT_MAX_BYTES) throw usageError('Standard input is too long.');
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString();
}
