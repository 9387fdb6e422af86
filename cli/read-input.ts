import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { usageError } from './http/errors.ts';

/** The first line of standard input; at a terminal it is asked for and not shown. Throws CommandError without one. */
export async function readSecret(question: string): Promise<string> {
  const line = process.stdin.isTTY ? await ask(question) : await readFirstLine();
  process.stdin.pause();
  if (!line) throw usageError('Nothing was entered.');
  return line;
}

async function readFirstLine(): Promise<string> {
  for await (const line of createInterface({ input: process.stdin })) return line;
  return '';
}

async function ask(question: string): Promise<string> {
  process.stderr.write(question);
  const silent = new Writable({ write: (_bytes, _encoding, done) => done() });
  const lines = createInterface({ input: process.stdin, output: silent, terminal: true });
  const closed = new Promise<string>((resolve) => lines.once('close', () => resolve('')));
  // In this mode Ctrl-C is a key and no signal.
  lines.once('SIGINT', () => process.kill(process.pid, 'SIGINT'));
  const line = await Promise.race([lines.question(''), closed]).catch(() => '');
  lines.close();
  process.stderr.write('\n');
  return line;
}

/** Asks at a terminal; anything but `y` or `yes` is a no. */
export async function askYesNo(question: string): Promise<boolean> {
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  const closed = new Promise<string>((resolve) => lines.once('close', () => resolve('')));
  const answer = await Promise.race([lines.question(`${question} [y/N] `), closed]).catch(() => '');
  lines.close();
  return /^y(es)?$/i.test(answer.trim());
}
