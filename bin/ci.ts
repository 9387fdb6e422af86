/**
 * The whole gate, as `npm test` and `.ci/run` run it: format, lint, types, unused code, known holes in what we
 * depend on, tests on both database engines, journeys in Chromium. Goes on after a failure, so that one run
 * tells everything. A test file or journey that fails is run once more, alone; what passes then is told as flaky,
 * by name, and is to be mended. Ends with `N passed, N failed` and exits non-zero when anything failed twice.
 */
import { spawn } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { basename, join } from 'node:path';
import { isS3ServerInstalled, startS3Server } from '../server/testing/s3-server.ts';

type Environment = Record<string, string>;
type Shared = { env: Environment; stop(): Promise<void> };
type Step = {
  name: string;
  command: string[];
  env?: Environment;
  /** Starts what the step's tests share. */
  open?: () => Promise<Shared>;
  countTests?: boolean;
};
type Tally = { passed: number; failed: number };
type Outcome = Tally & { output: string };

const root = join(import.meta.dirname, '..');
const NODE_TESTS = ['contracts', 'cli', 'server', 'web', 'bin'].map((room) => `${room}/**/*.test.ts`);

/** Node's own choice leaves one processor free, which of two is half: most tests wait for a disk or a server. */
const AT_ONCE = `--test-concurrency=${Math.max(2, availableParallelism() - 1)}`;

/** Those beside `server/features` that ask every call. */
const HTTP_TESTS = ['app', 'bad-input', 'roles'].map((name) => `server/${name}.test.ts`);

const TEST_RUNNER = ['node', '--test'];

const steps: Step[] = [
  { name: 'test servers', command: ['node', 'bin/install-test-servers.ts'] },
  { name: 'format and lint', command: ['biome', 'check', '.'] },
  { name: 'types of the server', command: ['tsc', '-p', 'tsconfig.json'] },
  { name: 'types of the pages', command: ['tsc', '-p', 'web/tsconfig.json'] },
  { name: 'unused code', command: ['knip'] },
  { name: 'pages build', command: ['node', 'bin/build-web.ts'] },
  { name: 'tests on SQLite', command: [...TEST_RUNNER, AT_ONCE, ...NODE_TESTS], countTests: true },
  {
    name: 'HTTP tests on PostgreSQL and S3',
    command: [...TEST_RUNNER, AT_ONCE, 'server/features/**/*.test.ts', ...HTTP_TESTS],
    env: { TEST_DATABASE: 'postgres' },
    open: openBucketServer,
    countTests: true,
  },
  { name: 'journeys', command: ['playwright', 'test'], countTests: true },
];

/** All that a step says, but for one that has gone mad. */
const OUTPUT_KEPT = 20_000_000;

const only = process.argv.slice(2);
const total: Tally = { passed: 0, failed: 0 };
for (const step of steps.filter(({ name }) => only.length === 0 || only.includes(name))) {
  const { passed, failed } = await run(step);
  total.passed += passed;
  total.failed += failed;
}
console.log(`${total.passed} passed, ${total.failed} failed`);
process.exitCode = total.failed > 0 || total.passed === 0 ? 1 : 0;

async function run({ open, ...step }: Step): Promise<Tally> {
  console.log(`\n── ${step.name}`);
  const shared = await open?.();
  try {
    return await runTwiceWhereItFails({ ...step, env: { ...step.env, ...shared?.env } });
  } finally {
    await shared?.stop();
  }
}

/** Playwright repeats its journeys itself. */
async function runTwiceWhereItFails(step: Step): Promise<Tally> {
  const first = await runCommand(step);
  const files = listFailedFiles(first.output);
  const isNodes = TEST_RUNNER.every((word, index) => step.command[index] === word);
  if (first.failed === 0 || !isNodes || files.length === 0) return first;
  console.log(`\n── once more, alone: ${files.join(' ')}`);
  const second = await runCommand({ ...step, command: [...TEST_RUNNER, '--test-concurrency=1', ...files] });
  for (const name of second.failed === 0 ? listFailures(first.output) : []) console.log(`flaky: ${name}`);
  return { passed: first.passed + first.failed - second.failed, failed: second.failed };
}

function listFailures(output: string): string[] {
  return [...new Set([...output.matchAll(/^ *✖ (?!failing tests)(.+)$/gm)].map(([, name]) => name!))];
}

/** The test files of what failed; of a suite that several files share, all that do. */
function listFailedFiles(output: string): string[] {
  const places = [...output.matchAll(/^test at (\S+?):\d+:\d+$/gm)].map(([, place]) => place!);
  const tests = globSync(NODE_TESTS, { cwd: root });
  const suites = globSync('server/**/*.suite.ts', { cwd: root });
  const usersOf = (suite: string): string[] => {
    const users = (all: string[]) =>
      all.filter((file) => readFileSync(join(root, file), 'utf8').includes(`/${basename(suite)}'`));
    return [...users(tests), ...users(suites).flatMap(usersOf)];
  };
  return [...new Set(places.flatMap((place) => (place.endsWith('.suite.ts') ? usersOf(place) : [place])))];
}

async function runCommand({ name, command, env, countTests = false }: Step): Promise<Outcome> {
  const started = performance.now();
  const [program, ...args] = command;
  const child = spawn(program!, args, {
    cwd: root,
    env: {
      ...process.env,
      PATH: `${join(root, 'node_modules/.bin')}:${process.env.PATH}`,
      // Hundreds of processes read the same sources: each is compiled once.
      NODE_COMPILE_CACHE: join(root, 'node_modules/.cache/node'),
      ...env,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  child.stdout.on('data', (bytes: Buffer) => {
    process.stdout.write(bytes);
    output = (output + plainText(bytes.toString())).slice(-OUTPUT_KEPT);
  });
  const code = await new Promise<number>((resolve) => {
    child.on('error', () => resolve(1));
    child.on('close', (exit) => resolve(exit ?? 1));
  });
  console.log(
    `── ${name}: ${code === 0 ? 'ok' : 'FAILED'} in ${Math.round((performance.now() - started) / 1000)} s`,
  );
  const tally = countTests ? countFrom(output, code) : { passed: code ? 0 : 1, failed: code ? 1 : 0 };
  return { ...tally, output };
}

/** One S3 server for all test files; without one the files stay on the disk. */
async function openBucketServer(): Promise<Shared> {
  if (!isS3ServerInstalled()) {
    console.log('No S3 server could be installed here: files stay on the disk.');
    return { env: {}, stop: async () => {} };
  }
  const { endpoint, stop } = await startS3Server();
  return { env: { TEST_STORAGE: 's3', TEST_S3_ENDPOINT: endpoint }, stop };
}

/** Reads the closing lines of `node --test` and of Playwright. A run without tests, or a crash, is a failure. */
function countFrom(output: string, code: number): Tally {
  const passed = lastNumber(output, /^\S* ?pass (\d+)$/gm) ?? lastNumber(output, /^\s+(\d+) passed/gm) ?? 0;
  const failed = lastNumber(output, /^\S* ?fail (\d+)$/gm) ?? lastNumber(output, /^\s+(\d+) failed/gm) ?? 0;
  const unexplained = failed === 0 && (code !== 0 || passed === 0);
  return { passed, failed: failed + (unexplained ? 1 : 0) };
}

function lastNumber(text: string, pattern: RegExp): number | undefined {
  const last = [...text.matchAll(pattern)].at(-1);
  return last && Number(last[1]);
}

function plainText(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: colours are escape sequences
  return text.replace(/\u001b\[[0-9;]*m/g, '');
}
