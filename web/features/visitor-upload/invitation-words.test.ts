import assert from 'node:assert/strict';
import { test } from 'vitest';
import { GIB, MIB } from '../../../contracts/values/sizes.ts';
import { describeBreach, describeLeft, describeRoom, describeTypes } from './invitation-words.ts';

const LIMITS = { maxFileSize: 2 * MIB, maxTotalSize: 3 * MIB, maxFiles: 2, allowedTypes: ['pdf', 'tar.gz'] };
const file = (name: string, sizeBytes = 1) => ({ name, sizeBytes });

test('Visitor files: each rule that a selection breaks has its title and its sentence', () => {
  const cases = [
    [[file('big.pdf', 2 * MIB + 1)], 'File too large', 'big.pdf exceeds the 2 MB limit'],
    [[file('a.pdf'), file('b.pdf'), file('c.pdf')], 'Too many files', 'You can only upload up to 2 files'],
    [
      [file('a.pdf', 2 * MIB), file('b.pdf', 2 * MIB)],
      'Total size exceeds limit',
      'Total size cannot exceed 3 MB',
    ],
    [[file('a.exe')], 'File type not allowed', 'a.exe cannot be uploaded here. Allowed types: pdf, tar.gz.'],
  ] as const;
  for (const [files, title, description] of cases)
    assert.deepEqual(describeBreach([...files], LIMITS), { title, description });
  assert.equal(describeBreach([file('A.PDF'), file('b.Tar.GZ')], LIMITS), undefined);
});

test('shows the remaining amount only if some is used', () => {
  assert.equal(describeRoom(40, 40, String), 'up to 40');
  assert.equal(describeRoom(2, 40, String), '2 of 40 left');
  assert.equal(describeRoom(0, 40, String), '0 of 40 left');
});

test('says what a visitor may still send, if anything', () => {
  const describe = (files: number, bytes: number, maxFiles = 10) =>
    describeLeft({ remaining: { files, bytes }, maxFiles });
  assert.equal(describe(7, 1.2 * GIB), '7 of 10 files, 1.2 GB left');
  assert.equal(describe(1, 5, 1), '1 of 1 file, 5 B left');
  assert.equal(describe(0, 5), undefined);
  assert.equal(describe(7, 0), undefined);
});

test('lists the allowed types', () => {
  assert.equal(describeTypes([]), 'Any');
  assert.equal(describeTypes(['pdf']), 'PDF');
  assert.equal(describeTypes(['pdf', 'jpg', 'tar.gz']), 'PDF, JPG, or TAR.GZ');
});
