/**
 * Runs the tests: `npm test` what every change needs; `npm run test:all` adds the journeys tagged `@all` and those in
 * Firefox and WebKitGTK, and repeats every HTTP test on PostgreSQL and S3.
 *
 *   node bin/test.ts [--all] [--only checks|unit|component|http|postgres|e2e|browsers]... [file or name filter]...
 *
 * Static checks, test files in shards, and journeys in Chromium share the processors as separate tasks; a task's
 * output is printed when it ends. A failed test is repeated alone. If it passes then, it is reported by name as
 * flaky, which is a defect to fix. Ends with `N passed, N failed` and exits with 1 if anything failed twice.
 */
import { appendFileSync, mkdirSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { startPostgres } from '../testing/databases/postgres.ts';
import { isS3ServerInstalled, startS3Server } from '../testing/storage/s3-server.ts';
import { type Outcome, ROOT, runCommand } from './gate/run-command.ts';
import { supervise } from './gate/supervise.ts';
import { planTasks, SETS, type Task, type TestSet } from './gate/tasks.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { all: { type: 'boolean', default: false }, only: { type: 'string', multiple: true } },
});

/** Flaky tests by name, one line each: CI keeps this file, and it should stay empty. */
const FLAKY_FILE = join(ROOT, 'test-results/flaky.txt');

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
  const { first, tasks } = planTasks({ sets, isAll: values.all, filters: positionals });
  for (const task of first) if ((await runTask(task)).failed > 0) return 1;
  const shared = await startSharedServers(tasks);
  const total = { passed: 0, failed: 0 };
  try {
    for (const { passed, failed } of await runTasks(tasks, shared.env)) {
      total.passed += passed;
      total.failed += failed;
    }
  } finally {
    await shared.stop();
  }
  console.log(`\nTook ${Math.round((performance.now() - started) / 1000)} s.`);
  console.log(`${total.passed} passed, ${total.failed} failed`);
  return total.failed > 0 || total.passed === 0 ? 1 : 0;
}

/**
 * The longest start first, as many in parallel as there are processors. `--all` runs one more, because its long suites
 * (kills, faults, time limits) leave a processor idle for about a quarter of their time.
 */
async function runTasks(tasks: Task[], env: Record<string, string>): Promise<Outcome[]> {
  const waiting = tasks.toSorted((a, b) => b.weight - a.weight);
  const outcomes: Outcome[] = [];
  const lanes = Math.max(2, availableParallelism()) + (values.all ? 1 : 0);
  const work = async () => {
    for (let task = waiting.shift(); task; task = waiting.shift())
      outcomes.push(await runTask({ ...task, env: { ...env, ...task.env } }));
  };
  await Promise.all(Array.from({ length: lanes }, work));
  return outcomes;
}

async function runTask(task: Task): Promise<Outcome> {
  const outcome = await runCommand(task);
  reportFlaky(outcome.flaky);
  const again = outcome.failed > 0 ? task.again?.(outcome.output) : undefined;
  if (!again) return outcome;
  const second = await runCommand({ ...task, name: `${task.name}, once more`, command: again });
  if (second.failed === 0) reportFlaky(outcome.failures.length > 0 ? outcome.failures : [task.name]);
  return { ...second, passed: outcome.passed + outcome.failed - second.failed, failed: second.failed };
}

function reportFlaky(names: string[]): void {
  if (names.length === 0) return;
  mkdirSync(join(FLAKY_FILE, '..'), { recursive: true });
  for (const name of names) {
    console.log(`flaky: ${name}`);
    appendFileSync(FLAKY_FILE, `${name}\n`);
  }
}

/** One PostgreSQL and one S3 server for all test files; starting them for each file would take minutes. */
async function startSharedServers(
  tasks: Task[],
): Promise<{ env: Record<string, string>; stop(): Promise<void> }> {
  const needs = (server: 'postgres' | 's3') => tasks.some((task) => task.needs?.includes(server));
  const postgres = needs('postgres') ? await startPostgres() : undefined;
  const hasS3 = needs('s3') && isS3ServerInstalled();
  if (needs('s3') && !hasS3)
    console.log('No S3 server could be installed: the files of those tests stay on disk.');
  const s3 = hasS3 ? await startS3Server() : undefined;
  return {
    env: {
      ...(postgres && { TEST_POSTGRES_URL: postgres.adminUrl }),
      ...(s3 && { TEST_S3_ENDPOINT: s3.endpoint }),
    },
    async stop() {
      await Promise.all([postgres?.stop(), s3?.stop()]);
    },
  };
}
