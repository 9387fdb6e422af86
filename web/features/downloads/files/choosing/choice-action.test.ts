import assert from 'node:assert/strict';
import { test } from 'vitest';
import { encodeSelection } from '../../../../../contracts/transfers/downloads/selection.ts';
import { fileNamed } from '../../../../testing/file-named.ts';
import type { DownloadTarget } from '../../download/use-downloads.ts';
import { choiceAction } from './choice-action.ts';

const FILES = ['a', 'b', 'c'].map((name, position) => fileNamed(name, { position, size: 1024 }));

function actOn(count: number) {
  const started: DownloadTarget[] = [];
  const start = async (target: DownloadTarget) => void started.push(target);
  const downloads = { start, isPreparing: () => false };
  const view = { files: FILES };
  const action = choiceAction(
    { token: 't', recipientToken: 'r' },
    {
      view,
      choice: { files: FILES.slice(0, count), includesLater: false },
      loading: { state: 'complete' },
      downloads,
    },
  );
  action?.onStart();
  return { label: action?.label, target: started[0] };
}

test('nothing chosen is no download', () => assert.equal(actOn(0).label, undefined));

test('one file is downloaded as it is', () => {
  assert.deepEqual(actOn(1), {
    label: 'Download 1 file (1 KB)',
    target: { path: '/api/download/t/file/a?r=r', isZip: false },
  });
});

test('some files come as a zip of just those', () => {
  assert.deepEqual(actOn(2), {
    label: 'Download 2 files (2 KB)',
    target: { path: `/api/download/t/selection/${encodeSelection([0, 1])}?r=r`, isZip: true },
  });
});

test('all files are the zip of all', () => {
  assert.deepEqual(actOn(3).target, { path: '/api/download/t/all?r=r', isZip: true });
});
