/**
 * `npm run bench`: what Sendwell does beside nginx, a bare Node server, itself with one process, and curl, in one run
 * on one machine. Rounds are interleaved; the figures that travel to other machines are the shares. See
 * docs/performance.md.
 */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { measure } from './measure.ts';
import { compare, describeRun, printRow, type Results, toMarkdown } from './results.ts';
import { commandRows } from './rows/commands.ts';
import { downloadRows } from './rows/downloads.ts';
import { encryptionRows } from './rows/encryption.ts';
import { processRows } from './rows/processes.ts';
import { Stage } from './rows/stage.ts';
import { uploadRows } from './rows/uploads.ts';

const USAGE = `npm run bench -- [options]

  --only TEXT[,TEXT]  only rows whose name contains one of the texts
  --rounds N          interleaved rounds of each row (5)
  --json FILE         where the results are written (.cache/bench/<date>.json)
  --compare FILE      show what changed since the run that wrote this file
  --markdown          print the table of docs/performance.md at the end
  --list              print the names of the rows`;

const options = readOptions();
const earlier = options.compare === undefined ? undefined : readResults(options.compare);
const folder = mkdtempSync(join(tmpdir(), 'sendwell-bench-'));
process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));

const stage = await Stage.open(folder);
try {
  const rows = Object.entries({
    ...uploadRows(stage),
    ...downloadRows(stage),
    ...commandRows(stage),
    ...processRows(stage),
    ...encryptionRows(stage),
  });
  const chosen = rows.filter(([name]) => options.only?.some((text) => name.includes(text)) ?? true);
  if (options.list) console.log(rows.map(([name]) => name).join('\n'));
  else if (chosen.length === 0) fail('No row has such a name. --list prints them all.');
  else await run(chosen);
} finally {
  await stage.close();
}

async function run(rows: [string, () => Promise<Parameters<typeof measure>[1]>][]): Promise<void> {
  const results = describeRun(options.rounds);
  const { machine, node, commit } = results;
  console.log(
    `commit ${commit}, ${machine}, Node ${node}; medians of ${options.rounds} rounds (lowest–highest)`,
  );
  if (!stage.nginx) console.log('nginx is not installed: rows are measured without it');
  console.log('');
  for (const [name, prepare] of rows) {
    const result = await measure(name, await prepare(), options.rounds);
    results.rows.push(result);
    console.log(printRow(result));
    await stage.reset();
  }
  const file = options.json ?? join('.cache/bench', `${results.date.replaceAll(':', '-')}.json`);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, `${JSON.stringify(results, null, 2)}\n`);
  console.log(`results: ${file}`);
  if (options.markdown) console.log(`\n${toMarkdown(results)}`);
  if (earlier) console.log(`\n${compare(earlier, results)}`);
}

function readOptions() {
  try {
    const { values } = parseArgs({
      options: {
        only: { type: 'string' },
        rounds: { type: 'string', default: '5' },
        json: { type: 'string' },
        compare: { type: 'string' },
        markdown: { type: 'boolean', default: false },
        list: { type: 'boolean', default: false },
        help: { type: 'boolean', default: false },
      },
    });
    if (values.help) {
      console.log(USAGE);
      process.exit(0);
    }
    const rounds = Number(values.rounds);
    if (!Number.isInteger(rounds) || rounds < 1) fail('--rounds needs a whole number of at least 1.');
    return { ...values, rounds, only: values.only?.split(',').map((text) => text.trim()) };
  } catch (error) {
    return fail((error as Error).message);
  }
}

function readResults(file: string): Results {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Results;
  } catch (error) {
    return fail(`The results of an earlier run cannot be read: ${(error as Error).message}`);
  }
}

function fail(sentence: string): never {
  console.error(sentence);
  process.exit(2);
}
