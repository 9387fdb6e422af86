import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MIB } from '../../../../contracts/values/sizes.ts';
import { describeBelongings } from './account-contents.ts';

test('counts what goes with an account', () => {
  assert.equal(describeBelongings([]), 'no transfers');
  assert.equal(describeBelongings([{ fileCount: 1, totalSize: MIB }]), '1 transfer with 1 file (1 MB)');
  const many = Array.from({ length: 1_200 }, () => ({ fileCount: 2, totalSize: MIB }));
  assert.equal(describeBelongings(many), '1,200 transfers with 2,400 files (1.2 GB)');
});
