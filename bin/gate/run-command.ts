import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { meterChildren } from './processor-time.ts';

export const ROOT = join(import.meta.dirname, '../..');

export type Command = {
  name: string;
  command: string[];
  env?: Record<string, string>;
  /** False: the command is one check, which passes or fails as a whole. */
  hasTests?: boolean;
};

export type Outcome = {
  passed: number;
  failed: number;
  /** Names of the tests that failed. */
  failures: string[];
  /** Names of the journeys that passed only when Playwright retried them. */
  flaky: string[];
  output: string;
  seconds: number;
  /** Processor time of the command and of what it started. 0 where the system does not report it. */
  cpuSeconds: number;
};

/** Longer output is cut to this many characters. */
const OUTPUT_MAX = 20_000_000;

/** A command that takes longer is considered hung and killed, so that the others can finish. */
const TIMEOUT_MS = 45 * 60_000;

/** Read whenever a command ends. What else ends in between is added to the next command. */
export const takeCpuSeconds = meterChildren();

const running = new Set<ChildProcess>();
// Otherwise stopping the gate would leave its commands running.
process.on('exit', () => {
  for (const child of running) child.kill('SIGTERM');
});

/** Runs a command, prints its output when it has ended, and counts its tests. */
export async function runCommand({ name, command, env, hasTests = false }: Command): Promise<Outcome> {
  const started = performance.now();
  const [program, ...args] = command;
  const child = spawn(program!, args, {
    cwd: ROOT,
    env: {
      // Without a locale, Chromium and Python don't find files whose names are not ASCII.
      LANG: 'C.UTF-8',
      ...process.env,
      PATH: `${join(ROOT, 'node_modules/.bin')}:${process.env.PATH}`,
      // Many processes load the same sources, so each is compiled once.
      NODE_COMPILE_CACHE: join(ROOT, 'node_modules/.cache/node'),
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: TIMEOUT_MS,
    killSignal: 'SIGKILL',
  });
  running.add(child);
  child.once('close', () => running.delete(child));
  let cpuSeconds = 0;
  child.once('exit', () => {
    cpuSeconds = takeCpuSeconds();
  });
  let output = '';
  const keep = (bytes: Buffer) => {
    output = (output + bytes.toString()).slice(-OUTPUT_MAX);
  };
  child.stdout.on('data', keep);
  child.stderr.on('data', keep);
  const code = await new Promise<number>((resolve) => {
    child.on('error', (error) => {
      output += String(error);
      resolve(1);
    });
    child.on('close', (exit) => resolve(exit ?? 1));
  });
  const seconds = (performance.now() - started) / 1000;
  const plain = withoutColors(output);
  keepLog(name, plain);
  const tally = hasTests ? countTests(plain, code) : { passed: code ? 0 : 1, failed: code ? 1 : 0 };
  console.log(`\n── ${name}: ${code === 0 ? 'ok' : 'FAILED'} in ${Math.round(seconds)} s`);
  console.log(code === 0 && hasTests ? `   ${tally.passed} tests passed` : output.trimEnd());
  return {
    ...tally,
    failures: listFailures(plain),
    flaky: listFlaky(plain),
    output: plain,
    seconds,
    cpuSeconds,
  };
}

/** A task that passes prints only one line. Its log has the duration of each test. */
function keepLog(name: string, output: string): void {
  const folder = join(ROOT, 'test-results/logs');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, `${name.replaceAll(/[^\w]+/g, '-')}.log`), output);
}

/** Reads the closing lines of `node --test`, Playwright and vitest. A run without tests, or a crash, is a failure. */
function countTests(output: string, code: number): { passed: number; failed: number } {
  const passed =
    lastNumber(output, /^\S* ?pass (\d+)$/gm) ?? lastNumber(output, /^\s+(?:Tests .*?)?(\d+) passed/gm) ?? 0;
  const failed =
    lastNumber(output, /^\S* ?fail (\d+)$/gm) ?? lastNumber(output, /^\s+(?:Tests .*?)?(\d+) failed/gm) ?? 0;
  const isUnexplained = failed === 0 && (code !== 0 || passed === 0);
  return { passed, failed: failed + (isUnexplained ? 1 : 0) };
}

function listFailures(output: string): string[] {
  const names = [...output.matchAll(/^ *[✖×] (?!failing tests)(.+?)(?: \(?[\d.]+ms\)?)?$/gm)];
  return [...new Set(names.map(([, name]) => name!))];
}

/** Playwright ends with `N flaky` and a line for each. */
function listFlaky(output: string): string[] {
  const [, list = ''] = /^ +\d+ flaky\n((?: +\[\w+\] › .+\n)+)/m.exec(output) ?? [];
  return list
    .split('\n')
    .map((line) => line.replaceAll('─', '').trim())
    .filter((line) => line !== '');
}

function lastNumber(text: string, pattern: RegExp): number | undefined {
  const last = [...text.matchAll(pattern)].at(-1);
  return last && Number(last[1]);
}

function withoutColors(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: colours are escape sequences
  return text.replace(/\u001b\[[0-9;]*m/g, '');
}
