/**
 * Runs the tests: `npm test` what every change needs; `npm run test:all` adds the journeys tagged `@all` and those in
 * Firefox and WebKitGTK, and repeats the HTTP tests of all features on PostgreSQL, with S3 for those that store files.
 *
 *   node bin/test.ts [--all] [--only checks|unit|component|http|postgres|e2e|browsers]... [file or name filter]...
 *
 * Static checks, test files in shards, and journeys in Chromium share the processors as separate tasks; a task's
 * output is printed when it ends. A failed test is repeated alone. If it passes then, it is reported by name as
 * flaky, which is a defect to fix. Ends with the times of all parts and `N passed, N failed`, and exits with 1 if
 * anything failed twice.
 */
import { appendFileSync, mkdirSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { startPostgres } from '../testing/databases/postgres.ts';
import { isS3ServerInstalled, startS3Server } from '../testing/storage/s3-server.ts';
import { watchProcessors } from './gate/processor-time.ts';
import { type Outcome, ROOT, runCommand, takeCpuSeconds } from './gate/run-command.ts';
import { supervise } from './gate/supervise.ts';
import { planTasks, SETS, type Task, type TestSet } from './gate/tasks.ts';
import { formatTimes, type Spent } from './gate/time-table.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { all: { type: 'boolean', default: false }, only: { type: 'string', multiple: true } },
});

/** Flaky tests by name, one line each: CI keeps this file, and it should stay empty. */
const FLAKY_FILE = join(ROOT, 'test-results/flaky.txt');

/** Of all commands so far, those of retries, too. */
const spent: Spent[] = [];

await supervise();

// Exiting also stops the servers and commands that this process started.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => process.exit(130));

process.exitCode = await main();

async function main(): Promise<number> {
  const isShort = !values.all && positionals.length === 0;
  const sets = (values.only ?? SETS.filter((set) => !isShort || set !== 'browsers')) as TestSet[];
  const unknown = sets.filter((set) => !SETS.includes(set));
  if (unknown.length > 0) {
    console.error(`--only accepts ${SETS.join(', ')}, not ${unknown.join(', ')}.`);
    return 2;
  }
  const started = performance.now();
  const readBusyShare = watchProcessors();
  const { first, tasks } = planTasks({ sets, isAll: values.all, filters: positionals });
  const prepared = prepare(first, tasks);
  const total = { passed: 0, failed: 0 };
  try {
    for (const { passed, failed } of await runTasks(tasks, prepared)) {
      total.passed += passed;
      total.failed += failed;
    }
  } finally {
    await (await prepared)?.stop();
  }
  const busy = Math.round(readBusyShare() * 100);
  console.log(`\n${formatTimes(spent)}`);
  console.log(`\nTook ${Math.round((performance.now() - started) / 1000)} s, processors ${busy} % busy.`);
  if (!(await prepared)) return 1;
  console.log(`${total.passed} passed, ${total.failed} failed`);
  return total.failed > 0 || total.passed === 0 ? 1 : 0;
}

/** Builds pages and programs while missing tools are installed and the servers start. Undefined if something failed. */
async function prepare([install, ...builds]: Task[], tasks: Task[]): Promise<SharedServers | undefined> {
  const serve = async () => {
    const isReady = (await runTask(install!)).failed === 0;
    return isReady ? startSharedServers(tasks) : undefined;
  };
  const [shared, built] = await Promise.all([serve(), Promise.all(builds.map(runTask))]);
  if (built.every(({ failed }) => failed === 0)) return shared;
  await shared?.stop();
  return undefined;
}

/**
 * The longest start first. There is one more lane than processors, because journeys and suites with kills, faults and
 * time limits often wait.
 */
async function runTasks(tasks: Task[], prepared: ReturnType<typeof prepare>): Promise<Outcome[]> {
  const waiting = tasks.toSorted((a, b) => b.weight - a.weight);
  const outcomes: Outcome[] = [];
  let isPreparing = true;
  const ready = prepared.finally(() => {
    isPreparing = false;
  });
  const takeCheck = () => {
    const index = waiting.findIndex(({ hasTests }) => !hasTests);
    return index < 0 ? undefined : waiting.splice(index, 1)[0];
  };
  const runChecks = async () => {
    for (let task = takeCheck(); task; task = isPreparing ? takeCheck() : undefined)
      outcomes.push(await runTask(task));
  };
  const work = async (lane: number) => {
    // Checks need neither the pages nor the servers.
    if (lane === 0) await runChecks();
    const shared = await ready;
    if (!shared) return;
    for (let task = waiting.shift(); task; task = waiting.shift())
      outcomes.push(
        await runTask({ ...task, env: { TEST_PROGRAMS: 'bundled', ...shared.env, ...task.env } }),
      );
  };
  const lanes = Math.max(2, availableParallelism()) + 1;
  await Promise.all(Array.from({ length: lanes }, (_, lane) => work(lane)));
  return outcomes;
}

async function runTask(task: Task): Promise<Outcome> {
  const outcome = await runCommand(task);
  noteTimes(task.name, outcome);
  reportFlaky(outcome.flaky);
  const again = outcome.failed > 0 ? task.again?.(outcome.output) : undefined;
  if (!again) return outcome;
  const second = await runCommand({ ...task, name: `${task.name}, once more`, command: again });
  noteTimes(task.name, { ...second, passed: 0, failed: 0 });
  if (second.failed === 0) reportFlaky(outcome.failures.length > 0 ? outcome.failures : [task.name]);
  return { ...second, passed: outcome.passed + outcome.failed - second.failed, failed: second.failed };
}

function noteTimes(name: string, { passed, failed, seconds, cpuSeconds }: Outcome): void {
  spent.push({ name, tests: passed + failed, seconds, cpuSeconds });
}

function reportFlaky(names: string[]): void {
  if (names.length === 0) return;
  mkdirSync(join(FLAKY_FILE, '..'), { recursive: true });
  for (const name of names) {
    console.log(`flaky: ${name}`);
    appendFileSync(FLAKY_FILE, `${name}\n`);
  }
}

type SharedServers = { env: Record<string, string>; stop(): Promise<void> };

/** One PostgreSQL and one S3 server for all test files; starting them for each file would take minutes. */
async function startSharedServers(tasks: Task[]): Promise<SharedServers> {
  const started = performance.now();
  const needs = (server: 'postgres' | 's3') => tasks.some((task) => task.needs?.includes(server));
  const hasS3 = needs('s3') && isS3ServerInstalled();
  if (needs('s3') && !hasS3)
    console.log('No S3 server could be installed: the files of those tests stay on disk.');
  const [postgres, s3] = await Promise.all([
    needs('postgres') ? startPostgres() : undefined,
    hasS3 ? startS3Server() : undefined,
  ]);
  return {
    env: {
      ...(postgres && { TEST_POSTGRES_URL: postgres.adminUrl }),
      ...(s3 && { TEST_S3_ENDPOINT: s3.endpoint }),
    },
    async stop() {
      takeCpuSeconds();
      await Promise.all([postgres?.stop(), s3?.stop()]);
      const seconds = (performance.now() - started) / 1000;
      if (postgres || s3)
        spent.push({ name: 'shared servers', tests: 0, seconds, cpuSeconds: takeCpuSeconds() });
    },
  };
}
