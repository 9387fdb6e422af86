import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { type DumpStatement, readDump } from './mysql-dump.ts';

async function read(t: TestContext, sql: string | Buffer, name = 'dump.sql'): Promise<DumpStatement[]> {
  const folder = await mkdtemp(join(tmpdir(), 'sendwell-dump-'));
  t.after(() => rm(folder, { recursive: true }));
  await writeFile(join(folder, name), sql);
  return Array.fromAsync(readDump(join(folder, name)));
}

const TABLE =
  "-- a comment; with a semicolon\nCREATE TABLE `t` (\n  `id` int(11) NOT NULL,\n  `a``b` text COMMENT 'x; y',\n  PRIMARY KEY (`id`),\n  KEY `k` (`id`)\n) ENGINE=InnoDB;\n";

test('columns and values of all kinds are read, other statements are passed over', async (t) => {
  const statements = await read(
    t,
    `/*!40101 SET NAMES utf8mb4 */;\nLOCK TABLES \`t\` WRITE;\n${TABLE}` +
      "INSERT INTO `t` VALUES (1,'it\\'s; \\\\ \\n ''quoted'' \\Z'),(-2.5,NULL),(0x616263,_binary 'd'),\n(9007199254740993,TRUE);\n" +
      'insert into `db`.`t` (`id`) values (7);\nUNLOCK TABLES;\n',
  );
  assert.deepEqual(statements, [
    { kind: 'create', table: 't', columns: ['id', 'a`b'] },
    {
      kind: 'insert',
      table: 't',
      columns: undefined,
      rows: [
        [1, "it's; \\ \n 'quoted' \x1a"],
        [-2.5, null],
        ['abc', 'd'],
        ['9007199254740993', 1],
      ],
    },
    { kind: 'insert', table: 't', columns: ['id'], rows: [[7]] },
  ]);
});

test('statements that cross the pieces of the file are read whole, also from .gz', async (t) => {
  const long = `${'ü'.repeat(700_000)};\\'`;
  const sql = `${TABLE}${`INSERT INTO \`t\` VALUES (1,'${long}'),(2,'b');\n`.repeat(3)}`;
  for (const [bytes, name] of [
    [sql, 'dump.sql'],
    [gzipSync(sql), 'dump.sql.gz'],
  ] as const) {
    const inserts = (await read(t, bytes, name)).filter((statement) => statement.kind === 'insert');
    assert.deepEqual(
      inserts.map(({ rows }) => [(rows[0]![1] as string).length, rows[1]]),
      Array.from({ length: 3 }, () => [700_002, [2, 'b']]),
    );
  }
});

test('a dump that was cut off or damaged is refused with its line', async (t) => {
  for (const [sql, message] of [
    ["INSERT INTO `t` VALUES (1,'a", /cut off/],
    ["INSERT INTO `t` VALUES (1,'a')", /cut off/],
    ['\n\nINSERT INTO `t` VALUES (1,);', /unexpected: \); \(at or after line 3\)|unexpected: \)/],
    ['INSERT INTO `t` VALUES (1) (2);', /unexpected/],
    ['INSERT INTO `t` VALUES (now());', /unexpected: now/],
    ['INSERT INTO `t` SELECT 1;', /unexpected: SELECT/],
  ] as const)
    await assert.rejects(read(t, sql), message, sql);
});
