import assert from 'node:assert/strict';
import test from 'node:test';
import { toCsv } from './csv.ts';

test('lines end with CRLF, and cells are quoted where needed', () => {
  assert.equal(
    toCsv(
      ['name', 'count'],
      [
        ['plain', 1],
        ['a "b", c', -2],
        ['two\nlines', 0],
      ],
    ),
    'name,count\r\nplain,1\r\n"a ""b"", c",-2\r\n"two\nlines",0\r\n',
  );
});

test('text that looks like a formula is escaped', () => {
  const formulas = ['=1+1', '+1', '-1', '@SUM(A1)', '\t=1', '\r=1', '=HYPERLINK("x","y")'];
  for (const formula of formulas) assert.match(toCsv(['name'], [[formula]]), /\r\n"?'/);
});
