import assert from 'node:assert/strict';
import { test } from 'vitest';
import { MIB } from '../../../../contracts/values/sizes.ts';
import { describeAccountContents } from './account-contents.ts';

test('counts the transfers and files of an account', () => {
  assert.equal(describeAccountContents([]), 'No transfers');
  assert.equal(describeAccountContents([{ fileCount: 1, totalSize: MIB }]), '1 transfer with 1 file (1 MB)');
  const many = Array.from({ length: 1_200 }, () => ({ fileCount: 2, totalSize: MIB }));
  assert.equal(describeAccountContents(many), '1,200 transfers with 2,400 files (1.2 GB)');
});
