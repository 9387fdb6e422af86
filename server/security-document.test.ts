import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';

const ROOT = join(import.meta.dirname, '..');
/** Of the table, in its order. */
const CHAPTERS = [1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 12, 13, 14, 15, 16];
const DOCUMENT = readFileSync(join(ROOT, 'docs/security.md'), 'utf8');

test('docs/security.md names an existing test for each attack class', () => {
  const rows = DOCUMENT.split('\n').filter((line) => /^\| \d+ \|/.test(line));
  assert.equal(rows.length, 44);
  for (const row of rows) {
    const named = [...row.matchAll(/`([\w./-]+\.test\.tsx?)`: “(.+?)”(?=<br>| \|$)/g)];
    assert.ok(named.length > 0 || row.includes('**not held by a test**'), row);
    for (const [, file, name] of named) {
      const source = readFileSync(join(ROOT, file!), 'utf8').replaceAll("\\'", "'");
      assert.ok(source.includes(name!), `${file} has no test “${name}”`);
    }
  }
});

test('the ASVS table counts the rows that are listed below it', () => {
  const rows = [...DOCUMENT.matchAll(/^\| (?:V\d+ [^|]+|\*\*Total\*\*) \|(.+)\|$/gm)].map(([, cells]) =>
    cells!.split('|').map((cell) => Number(cell.replaceAll('*', ''))),
  );
  const total = rows.pop()!;
  for (const [all, inapplicable, met, unmet] of [...rows, total])
    assert.equal(all! - inapplicable!, met! + unmet!);
  assert.deepEqual(
    total,
    total.map((_sum, column) => rows.reduce((sum, row) => sum + row[column]!, 0)),
  );
  const [, afterTable] = DOCUMENT.split('**Not applicable** (');
  const [inapplicable, unmet] = afterTable!.split('## Personal data')[0]!.split('**Not met** (');
  const list = unmet!.split('\n').map((line) => /^\| ([\d., ]+) \|/.exec(line)?.[1] ?? '');
  assert.equal(list.join(' ').match(/\d+\.\d+\.\d+/g)!.length, total[3]);
  assert.match(DOCUMENT, new RegExp(`${total[2]} of ${total[0]! - total[1]!} applicable rows`));
  for (const [chapter, row] of rows.entries()) {
    const number = CHAPTERS[chapter]!;
    const counted = list.join(' ').match(new RegExp(`(?<![.\\d])${number}\\.\\d+\\.\\d+`, 'g')) ?? [];
    assert.equal(counted.length, row[3], `V${number}`);
  }
  assert.equal(countNamed(inapplicable!), total[1]);
});

/** Counts "4.4.1 to 4.4.4" as four rows. */
function countNamed(text: string): number {
  const ranges = [...text.matchAll(/(\d+\.\d+)\.(\d+) to \1\.(\d+)/g)];
  const within = ranges.reduce((sum, [, , first, last]) => sum + Number(last) - Number(first) - 1, 0);
  return text.match(/\d+\.\d+\.\d+/g)!.length + within;
}
