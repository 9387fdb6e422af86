import { globSync, readFileSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { type Command, ROOT } from './run-command.ts';

export const SETS = ['checks', 'unit', 'component', 'http', 'postgres', 'e2e', 'browsers'] as const;
export type TestSet = (typeof SETS)[number];

export type Task = Command & {
  /** Relative duration. The heaviest task starts first. */
  weight: number;
  needs?: ('postgres' | 's3')[];
  /** The command that repeats only the tests that failed according to the output. Undefined if a retry is pointless. */
  again?(output: string): string[] | undefined;
};

type Wanted = { sets: TestSet[]; isAll: boolean; filters: string[] };

const NODE_TESTS = [
  'contracts',
  'client',
  'encryption',
  'cli',
  'command-line',
  'operator',
  'server',
  'testing',
  'bin',
].map((room) => `${room}/**/*.test.ts`);

/** Need their own process, because they measure it, end it, or replace parts of it. */
const OWN_PROCESS = ['server/platform/images/renderer.test.ts'];

const OPERATOR_ON_BOTH = ['operator/backup/integrity.test.ts', 'operator/import/import.test.ts'];

/** HTTP tests that call every endpoint: on PostgreSQL and S3 in `test:all` only. */
const EVERY_CALL = ['app', 'bad-input', 'roles'].map((name) => `server/system-tests/${name}.test.ts`);

/** Start servers with their own database and storage, so other settings would change nothing. */
const OWN_DATABASE = ['previews/hostile-files'];

/**
 * Work the same wherever the bytes of files are: what they depend on is the database. `test:all` repeats them on
 * PostgreSQL with files on disk, all others on PostgreSQL and S3.
 */
const WITHOUT_FILES = [
  '(account-recovery|accounts|analytics|api-docs|billing|notices|push|registration|tiers|webhooks)',
  'admin/(audit|dashboard|every-call|plans|users)',
  'api-keys/(call-limits|every-call|idempotency|keys)',
  'invitations/(editing|limits|mails|visits)',
  'transfers/(limits|lists|mails|settings)',
].map((folders) => new RegExp(`^server/features/${folders}[/.]`));

/** Tests of limits, races, sorting, searching and counting. Repeated on PostgreSQL in every run, with files on disk. */
const ON_POSTGRES = featureTests({
  accounts: 'sign-in/sessions/sessions',
  'account-deletion': 'deletion',
  admin: 'transfers/transfer-list|users/user-list',
  analytics: 'totals/count-events|totals/retention',
  'api-keys': 'call-limits|idempotency',
  billing: 'coupons/coupon-races|subscription/billing-lock|sync/sweep|sync/webhooks',
  downloads:
    'arrival/arrival-notices|claims/claims|claims/returned-places|page/many-files|delivery/selection',
  invitations: 'visits/visit-attempts|visits/visits',
  transfers: 'limits/mail-quota|limits/usage|lists/list-transfers|lists/long-list|settings/edit-races',
  uploads: 'chunks/append-bytes|core/completion-races|tus/races|visitors/races',
  webhooks: 'delivery/delivery',
});

/** Tests that store, read or remove bytes. Repeated on PostgreSQL and S3 in every run. */
const ON_POSTGRES_AND_S3 = featureTests({
  checksums: '*',
  downloads: 'delivery/checksums|delivery/delivery|delivery/zip|routes',
  previews: 'thumbnails',
  uploads:
    'chunks/chunks|chunks/direct-chunks|core/repairs|form/form-upload|put/put-file|routes|sweep/*|tus/client|tus/protocol|visitors/visitors',
});

/** Throws for a name without a file, so that no test is lost when its file moves. */
function featureTests(names: Record<string, string>): string[] {
  const patterns = Object.entries(names).flatMap(([feature, files]) =>
    files.split('|').map((name) => `server/features/${feature}/${name}.test.ts`),
  );
  const missing = patterns.filter((pattern) => globSync(pattern, { cwd: ROOT }).length === 0);
  if (missing.length > 0) throw new Error(`bin/gate/tasks.ts lists tests that do not exist: ${missing}`);
  return patterns;
}

/** Long suites run only in `test:all` or when a filter names them. Shorter tests of each subject always run. */
const ONLY_IN_ALL = '.all.test.ts';

/** Short versions of suites that run at full length in files of `ONLY_IN_ALL`. `test:all` skips them. */
const SHORT_VERSIONS = ['event-loop-guard', 'faults/arrival-faults', 'faults/faults'].map(
  (name) => `server/system-tests/${name}.test.ts`,
);

/** A test that takes longer is considered hung. */
const TEST_TIMEOUT = '--test-timeout=600000';

/** See quick-promises.ts. */
export const QUICK_PROMISES = ['--expose-internals', `--import=${join(ROOT, 'bin/gate/quick-promises.ts')}`];

/**
 * By default, each 64 MB of new buffers make V8 collect all garbage, which takes a quarter of the processor time of
 * tests that send files. With this option it collects when the heap and its buffers have grown in proportion.
 */
const RARE_COLLECTIONS = '--external-memory-accounted-in-global-limit';

/** Bytes of test source per shard: small enough to balance, large enough to make process start-up negligible. */
const SHARD_BYTES = 180_000;
/** Files that take many times longer than others of their length. */
const SLOW_FILES: [files: RegExp, times: number][] = [
  [/\/bad-input\.test\.ts$/, 20],
  [/\/(every-call|openapi)\.test\.ts$/, 10],
  [/\.all\.test\.ts$|\/(faults|processes)\//, 6],
  [/^cli\/journeys\//, 3],
];
/** Enough that none takes more than a few minutes on a fast machine. */
const JOURNEY_SHARDS = { short: 4, all: 8 };

/** `first` must run before `tasks`, which may run in any order and in parallel. The first of them installs programs. */
export function planTasks({ sets, isAll, filters }: Wanted): { first: Task[]; tasks: Task[] } {
  const has = (set: TestSet) => sets.includes(set);
  const files = (patterns: string[]) =>
    globSync(patterns, { cwd: ROOT })
      .filter((file) =>
        filters.length === 0
          ? !(isAll ? SHORT_VERSIONS.includes(file) : file.endsWith(ONLY_IN_ALL))
          : filters.some((filter) => file.includes(filter)),
      )
      .toSorted();
  const first: Task[] = [
    check('test servers', ['node', 'bin/install-test-servers.ts', ...(isAll ? ['--all'] : [])]),
  ];
  if (sets.some((each) => each !== 'checks'))
    first.push(
      check('pages build', ['node', 'bin/build-web.ts']),
      check('programs bundle', ['node', 'bin/gate/bundle-programs.ts']),
    );
  const tasks: Task[] = [];
  if (has('checks') && filters.length === 0) {
    tasks.push(
      check('format and lint', ['biome', 'check', '.']),
      check('types of the server', ['tsc', '-p', 'tsconfig.json']),
      check('types of the pages', ['tsc', '-p', 'web/tsconfig.json']),
      check('unused code', ['knip']),
      check('message catalogues', [
        'lingui',
        'check',
        'sync',
        '--config',
        'web/build/catalogues/lingui.config.ts',
      ]),
      check('licenses', ['node', 'bin/audit.ts', '--licenses']),
    );
  }
  const isHttp = (file: string) => /^(operator|server)\//.test(file) && !file.startsWith('server/platform/');
  const local = files(NODE_TESTS).filter((file) => has(isHttp(file) ? 'http' : 'unit'));
  const isShort = !isAll && filters.length === 0;
  // Read by testing/lib/only-in-all.ts.
  const set: Record<string, string> = isShort ? { TEST_SET: 'short' } : {};
  tasks.push(...shard('SQLite and disk', local, set));
  if (has('postgres')) {
    const postgres = { ...set, TEST_DATABASE: 'postgres' };
    const both = { ...postgres, TEST_STORAGE: 's3' };
    const inPostgresOnly = new Set(files(ON_POSTGRES));
    const everything = ['server/features/**/*.test.ts', ...OPERATOR_ON_BOTH, ...EVERY_CALL];
    const chosen = files(isShort ? [...ON_POSTGRES_AND_S3, ...ON_POSTGRES] : everything).filter(
      (file) => !OWN_DATABASE.some((each) => file.startsWith(`server/features/${each}.`)),
    );
    const onDisk = (file: string) =>
      isShort ? inPostgresOnly.has(file) : WITHOUT_FILES.some((folders) => folders.test(file));
    tasks.push(
      ...shard(
        'PostgreSQL and S3',
        chosen.filter((file) => !onDisk(file)),
        both,
      ),
    );
    tasks.push(...shard('PostgreSQL and disk', chosen.filter(onDisk), postgres));
  }
  if (has('component')) tasks.push(...pageTests(files(['web/**/*.test.{ts,tsx}'])));
  if (has('e2e')) tasks.push(...journeys(filters, set));
  if (has('browsers')) tasks.push(...browserJourneys(files(['e2e/browsers/*.test.ts'])));
  return {
    first,
    tasks,
  };
}

function check(name: string, command: string[]): Task {
  return { name, command, weight: 0 };
}

/** Splits test files into groups of about equal duration. The files of a group share a process. */
function shard(name: string, files: string[], env: Record<string, string>): Task[] {
  const alone = files.filter((file) => OWN_PROCESS.includes(file));
  const together = files.filter((file) => !alone.includes(file));
  const bytes = together.reduce((sum, file) => sum + sizeOf(file), 0);
  const shards = Array.from({ length: Math.ceil(bytes / SHARD_BYTES) }, () => ({
    weight: 0,
    files: [] as string[],
  }));
  for (const file of together.toSorted((a, b) => weightOf(b) - weightOf(a))) {
    const lightest = shards.reduce((least, each) => (each.weight < least.weight ? each : least));
    lightest.files.push(file);
    lightest.weight += weightOf(file);
  }
  // Requests to S3 take longer than files on disk.
  const factor = env.TEST_STORAGE === 's3' ? 2 : 1;
  const groups = [...shards.map(({ files: group }) => group), ...alone.map((file) => [file])];
  return groups.map((group, index) => ({
    name: `${name} ${index + 1}/${groups.length}`,
    command: [
      'node',
      RARE_COLLECTIONS,
      ...QUICK_PROMISES,
      '--test',
      '--test-isolation=none',
      TEST_TIMEOUT,
      ...group.toSorted(),
    ],
    env,
    hasTests: true,
    weight: group.reduce((sum, file) => sum + weightOf(file), 0) * factor,
    needs: ['postgres', ...(env.TEST_STORAGE === 's3' || group.some(opensS3) ? (['s3'] as const) : [])],
    again: (output) => {
      const failed = listFailedFiles(output).filter((file) => group.includes(file));
      return [
        'node',
        '--test',
        '--test-concurrency=1',
        TEST_TIMEOUT,
        ...(failed.length > 0 ? failed : group),
      ];
    },
  }));
}

/** One process with one server: starting both takes longer than most of these tests. */
function pageTests(files: string[]): Task[] {
  if (files.length === 0) return [];
  const command = ['vitest', 'run', '--config', 'web/testing/vitest.config.ts', ...files];
  return [{ name: 'components', command, hasTests: true, weight: 500_000_000, again: () => command }];
}

/** Journeys tagged `@all` run in `test:all` or if a filter names their file. Playwright itself retries failed ones. */
function journeys(filters: string[], set: Record<string, string>): Task[] {
  const specs = globSync('e2e/**/*.spec.ts', { cwd: ROOT }).toSorted();
  const chosen = specs.filter((file) => filters.length === 0 || filters.some((each) => file.includes(each)));
  const isShort = set.TEST_SET === 'short';
  const shards =
    chosen.length === 0
      ? []
      : shardSpecs(chosen, isShort, filters.length > 0 ? 1 : JOURNEY_SHARDS[isShort ? 'short' : 'all']);
  return shards.map((files, index) => ({
    name: `journeys ${index + 1}/${shards.length}`,
    command: [
      'playwright',
      'test',
      ...['--workers=1', `--output=test-results/journeys-${index + 1}`],
      ...(isShort ? ['--grep-invert', '@all'] : []),
      ...files,
    ],
    env: { ...set, PLAYWRIGHT_TRANSFORM_CACHE_DIR: join(ROOT, 'node_modules/.cache/playwright') },
    hasTests: true,
    needs: files.some(opensS3) ? ['s3'] : [],
    // Journeys take longest, so they start first.
    weight: 1_000_000_000,
  }));
}

/**
 * Splits specs into groups with about as many journeys each. Playwright's own shards would each load the files of all,
 * which takes eight processor seconds.
 */
function shardSpecs(specs: string[], isShort: boolean, count: number): string[][] {
  const shards = Array.from({ length: count }, () => ({ journeys: 0, files: [] as string[] }));
  for (const spec of specs) {
    const smallest = shards.reduce((least, each) => (each.journeys < least.journeys ? each : least));
    smallest.files.push(spec);
    smallest.journeys += countJourneys(spec, isShort);
  }
  return shards.map(({ files }) => files).filter((files) => files.length > 0);
}

/** An estimate, because a loop or a group of journeys has one call or tag. */
function countJourneys(spec: string, isShort: boolean): number {
  const source = readFileSync(join(ROOT, spec), 'utf8');
  const all = source.match(/\btest\(/g)?.length ?? 0;
  const onlyInAll = isShort ? (source.match(/@all\b/g)?.length ?? 0) : 0;
  return Math.max(0, all - onlyInAll);
}

/** The main journeys in browsers other than Chromium. */
function browserJourneys(files: string[]): Task[] {
  return files.map((file) => {
    const command = ['node', '--test', '--test-isolation=none', TEST_TIMEOUT, file];
    const name = `journeys in ${basename(file, '.test.ts')}`;
    return { name, command, hasTests: true, weight: 900_000_000, again: () => command };
  });
}

/** The files of the failed tests. For a suite shared by several files, all of these. */
function listFailedFiles(output: string): string[] {
  const places = [...output.matchAll(/^test at (\S+?):\d+:\d+$/gm)].map(([, place]) => place!);
  const tests = globSync(NODE_TESTS, { cwd: ROOT });
  const suites = globSync('server/**/*.suite.ts', { cwd: ROOT });
  const usersOf = (suite: string): string[] => {
    const users = (all: string[]) =>
      all.filter((file) => readFileSync(join(ROOT, file), 'utf8').includes(`/${basename(suite)}'`));
    return [...users(tests), ...users(suites).flatMap(usersOf)];
  };
  return [...new Set(places.flatMap((place) => (place.endsWith('.suite.ts') ? usersOf(place) : [place])))];
}

/** Whether a test file has servers with buckets of their own, whatever the run's storage is. */
function opensS3(file: string): boolean {
  return /\/(s3-server|fleets|installations)\.ts'/.test(readFileSync(join(ROOT, file), 'utf8'));
}

/** Expected duration, relative to other files. */
function weightOf(file: string): number {
  const [, times = 1] = SLOW_FILES.find(([files]) => files.test(file)) ?? [];
  return sizeOf(file) * times;
}

function sizeOf(file: string): number {
  return statSync(join(ROOT, file)).size;
}
