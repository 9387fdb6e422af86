import assert from 'node:assert/strict';
import test from 'node:test';
import { addMonths, discountedCents, periodEnd } from './calculations.ts';

const at = (text: string) => Date.parse(`${text}T10:20:30.400Z`);

test('calendar months are added, and a day that the month does not have becomes its last', () => {
  const cases: [from: string, months: number, to: string][] = [
    ['2027-01-15', 1, '2027-02-15'],
    ['2027-01-31', 1, '2027-02-28'],
    ['2027-01-31', 2, '2027-03-31'],
    ['2027-01-31', 3, '2027-04-30'],
    ['2028-01-30', 1, '2028-02-29'],
    ['2028-02-29', 12, '2029-02-28'],
    ['2026-12-31', 2, '2027-02-28'],
    ['2026-11-30', 1, '2026-12-30'],
    ['2026-11-15', 0, '2026-11-15'],
    ['2026-11-15', 120, '2036-11-15'],
  ];
  for (const [from, months, to] of cases)
    assert.equal(addMonths(at(from), months), at(to), `${from} + ${months}`);
});

test('periods keep the day of their anchor: 31 January, 28 February, 31 March', () => {
  let [start, ends] = [at('2027-01-31'), [] as string[]];
  for (let month = 0; month < 13; month += 1) {
    start = periodEnd(at('2027-01-31'), start);
    ends.push(new Date(start).toISOString().slice(5, 10));
  }
  assert.deepEqual(
    ends.join(' '),
    '02-28 03-31 04-30 05-31 06-30 07-31 08-31 09-30 10-31 11-30 12-31 01-31 02-29',
  );
});

test('a discounted price is rounded to the cent, half a cent up', () => {
  const cases: [price: number, percent: number, discounted: number][] = [
    [999, 0, 999],
    [999, 50, 500],
    [999, 33, 669],
    [2499, 10, 2249],
    [1, 50, 1],
    [1, 51, 0],
    [999, 100, 0],
    [0, 20, 0],
  ];
  for (const [price, percent, discounted] of cases)
    assert.equal(discountedCents(price, percent), discounted, `${price} - ${percent} %`);
});
