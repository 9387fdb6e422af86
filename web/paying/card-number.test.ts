import assert from 'node:assert/strict';
import { test } from 'vitest';
import { checkCardNumber, checkCvc, checkExpiry, groupCardNumber, shapeExpiry } from './card-number.ts';

test('a card number is grouped as it is typed and pasted', () => {
  assert.equal(groupCardNumber('42424'), '4242 4');
  assert.equal(groupCardNumber('4242-4242 42424242'), '4242 4242 4242 4242');
  assert.equal(groupCardNumber('4242'), '4242');
  assert.equal(groupCardNumber('card: 12'), '12');
  assert.equal(groupCardNumber('1'.repeat(30)).replaceAll(' ', '').length, 19);
});

test('an expiry gets its slash automatically and loses it again', () => {
  assert.equal(shapeExpiry('1'), '1');
  assert.equal(shapeExpiry('12'), '12');
  assert.equal(shapeExpiry('12/'), '12/');
  assert.equal(shapeExpiry('123'), '12/3');
  assert.equal(shapeExpiry('5'), '05');
  assert.equal(shapeExpiry('530'), '05/30');
  assert.equal(shapeExpiry('12 / 30'), '12/30');
  assert.equal(shapeExpiry('12/2030'), '12/30');
  assert.equal(shapeExpiry('12/20'), '12/20');
  assert.equal(shapeExpiry(''), '');
});

test('one wrong digit of a card number is detected', () => {
  for (const number of ['4242 4242 4242 4242', '4000000000000002', '4000 0000 0000 0341', '378282246310005'])
    assert.equal(checkCardNumber(number), undefined, number);
  for (const number of ['4242 4242 4242 4243', '4242', ''])
    assert.equal(typeof checkCardNumber(number), 'string', number);
});

test('a card is valid until its month ends', () => {
  const lastOfJune = new Date(2026, 5, 30, 23).getTime();
  assert.equal(checkExpiry('06/26', lastOfJune), undefined);
  assert.equal(checkExpiry('05/26', lastOfJune), 'This card has expired.');
  for (const wrong of ['13/26', '6/26', '', '06'])
    assert.match(checkExpiry(wrong, lastOfJune)!, /month and year/);
  assert.equal(checkCvc('123'), undefined);
  assert.match(checkCvc('12')!, /digits/);
});
