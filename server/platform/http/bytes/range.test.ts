import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatHttpDate, parseHttpDate } from './http-date.ts';
import { parseRange, resolveRange } from './range.ts';

const BIG = '9'.repeat(400);

test('a single range is parsed exactly, anything else is ignored or refused', () => {
  const cases: [string, number, { start: number; end: number } | 'unsatisfiable' | undefined][] = [
    ['bytes=0-0', 10, { start: 0, end: 1 }],
    ['bytes=0-9', 10, { start: 0, end: 10 }],
    ['bytes=2-5', 10, { start: 2, end: 6 }],
    ['bytes=9-9', 10, { start: 9, end: 10 }],
    ['bytes=5-', 10, { start: 5, end: 10 }],
    ['bytes=5-99', 10, { start: 5, end: 10 }],
    [`bytes=5-${BIG}`, 10, { start: 5, end: 10 }],
    ['bytes=-3', 10, { start: 7, end: 10 }],
    ['bytes=-99', 10, { start: 0, end: 10 }],
    [`bytes=-${BIG}`, 10, { start: 0, end: 10 }],
    ['BYTES= 1-2 ', 10, { start: 1, end: 3 }],
    ['bytes=5000000000-5000000001', 6e9, { start: 5e9, end: 5e9 + 2 }],
    ['bytes=10-', 10, 'unsatisfiable'],
    ['bytes=10-20', 10, 'unsatisfiable'],
    [`bytes=${BIG}-`, 10, 'unsatisfiable'],
    ['bytes=-0', 10, 'unsatisfiable'],
    ['bytes=0-', 0, undefined],
    ['bytes=0-5', 0, undefined],
    ['bytes=-5', 0, undefined],
    ['bytes=1-', 0, 'unsatisfiable'],
    ['bytes=5-2', 10, undefined],
    ['bytes=0-1,3-4', 10, undefined],
    ['bytes=0-1, 3-4', 10, undefined],
    ['bytes=0-1,', 10, undefined],
    ['bytes=-', 10, undefined],
    ['bytes=', 10, undefined],
    ['bytes', 10, undefined],
    ['', 10, undefined],
    ['bytes=a-b', 10, undefined],
    ['bytes=1.5-2', 10, undefined],
    ['bytes=--1', 10, undefined],
    ['bytes=0x1-2', 10, undefined],
    ['items=0-1', 10, undefined],
    [`bytes=${'0-1,'.repeat(1000)}0-1`, 10, undefined],
  ];
  for (const [header, sizeBytes, expected] of cases) {
    assert.deepEqual(parseRange(header, sizeBytes), expected, `${header.slice(0, 40)} of ${sizeBytes}`);
  }
});

const CHANGED_AT = Date.UTC(2026, 10, 21, 12, 0, 0) + 678;
const resource = { etag: '"v1"', lastModifiedAt: CHANGED_AT, sizeBytes: 10 };
const same = formatHttpDate(CHANGED_AT);
const before = formatHttpDate(CHANGED_AT - 1000);
const after = formatHttpDate(CHANGED_AT + 1000);

const whole = { status: 200, start: 0, end: 10 };
const part = { status: 206, start: 2, end: 6 };
const unchanged = { status: 304, start: 0, end: 0 };
const failed = { status: 412, start: 0, end: 0 };

test('preconditions are evaluated in the order of RFC 9110, then Range with If-Range', () => {
  const range = 'bytes=2-5';
  const cases: [Record<string, string>, object][] = [
    [{}, whole],
    [{ range }, part],
    [{ range: 'bytes=10-' }, { status: 416, start: 0, end: 0 }],
    [{ 'if-none-match': '"v1"' }, unchanged],
    [{ 'if-none-match': 'W/"v1"' }, unchanged],
    [{ 'if-none-match': '"a,b", "v1"' }, unchanged],
    [{ 'if-none-match': '*' }, unchanged],
    [{ 'if-none-match': '"v2"' }, whole],
    [{ 'if-none-match': 'v1' }, whole],
    [{ 'if-none-match': '"v1"', range }, unchanged],
    [{ 'if-none-match': '"v2"', 'if-modified-since': after }, whole],
    [{ 'if-modified-since': same }, unchanged],
    [{ 'if-modified-since': after }, unchanged],
    [{ 'if-modified-since': before }, whole],
    [{ 'if-modified-since': 'yesterday' }, whole],
    [{ 'if-modified-since': '2099' }, whole],
    [{ 'if-match': '"v1"' }, whole],
    [{ 'if-match': '"v0", "v1"' }, whole],
    [{ 'if-match': '*' }, whole],
    [{ 'if-match': '"v2"' }, failed],
    [{ 'if-match': 'W/"v1"' }, failed],
    [{ 'if-match': '"v2"', 'if-none-match': '"v1"' }, failed],
    [{ 'if-match': '"v1"', 'if-unmodified-since': before }, whole],
    [{ 'if-unmodified-since': before }, failed],
    [{ 'if-unmodified-since': same }, whole],
    [{ 'if-unmodified-since': 'nonsense' }, whole],
    [{ range, 'if-range': '"v1"' }, part],
    [{ range, 'if-range': '"v2"' }, whole],
    [{ range, 'if-range': 'W/"v1"' }, whole],
    [{ range, 'if-range': same }, part],
    [{ range, 'if-range': before }, whole],
    [{ range, 'if-range': after }, whole],
    [{ range, 'if-range': 'nonsense' }, whole],
    [{ range: 'bytes=10-', 'if-range': '"v2"' }, whole],
    [{ 'if-range': '"v1"' }, whole],
  ];
  for (const [headers, expected] of cases) {
    assert.deepEqual(resolveRange(headers, resource), expected, JSON.stringify(headers));
  }
});

test('Range applies only to GET', () => {
  assert.deepEqual(resolveRange({ range: 'bytes=2-5' }, resource, 'HEAD'), whole);
  assert.deepEqual(resolveRange({ 'if-none-match': '"v1"' }, resource, 'HEAD'), unchanged);
});

test('the three forms of an HTTP date are parsed, other texts are not', () => {
  const instant = Date.UTC(1994, 10, 6, 8, 49, 37);
  for (const text of [
    'Sun, 06 Nov 1994 08:49:37 GMT',
    'Sunday, 06-Nov-94 08:49:37 GMT',
    'Sun Nov  6 08:49:37 1994',
  ]) {
    assert.equal(parseHttpDate(text), instant, text);
  }
  for (const text of [
    '',
    '0',
    '1994',
    'Sun, 06 Nov 1994 08:49:37',
    'Sun, 99 Nov 1994 99:49:37 GMT',
    undefined,
  ]) {
    assert.equal(parseHttpDate(text), undefined, text);
  }
  assert.equal(formatHttpDate(instant), 'Sun, 06 Nov 1994 08:49:37 GMT');
});
