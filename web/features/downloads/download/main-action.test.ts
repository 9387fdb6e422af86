import assert from 'node:assert/strict';
import { test } from 'vitest';
import { fileNamed } from '../../../testing/file-named.ts';
import type { OpenView } from '../states/view-state.ts';
import { mainAction } from './main-action.ts';
import type { DownloadTarget } from './use-downloads.ts';

function viewOf(count: number): OpenView {
  const files = Array.from({ length: count }, (_, index) => ({
    ...fileNamed(`${index}.mov`, { size: 1024 }),
    id: `f${index}`,
  }));
  return { files, fileCount: count, totalSize: count * 1024, ...(count > 1 && { zipSize: 3072 }) };
}

function actOn(count: number, recipientToken?: string) {
  const started: DownloadTarget[] = [];
  const start = async (target: DownloadTarget) => void started.push(target);
  const downloads = { start, isPreparing: (path: string) => path.endsWith('/all') };
  const action = mainAction({ token: 't', recipientToken }, viewOf(count), downloads);
  action?.onStart();
  return { action, started };
}

test('one file is downloaded as it is', () => {
  const { action, started } = actOn(1);
  assert.deepEqual([action?.label, action?.detail], ['Download', '1 KB']);
  assert.deepEqual(started, [{ path: '/api/download/t/file/f0', isZip: false }]);
});

test('several files are downloaded as a zip whose size is told', () => {
  const { action, started } = actOn(2);
  assert.deepEqual(
    [action?.label, action?.detail, action?.isPreparing],
    ['Download All Files', '3 KB zip', true],
  );
  assert.deepEqual(started, [{ path: '/api/download/t/all', isZip: true }]);
});

test('who came by a link of their own downloads by it', () => {
  const paths = [1, 2].map((count) => actOn(count, 'rex').started[0]?.path);
  assert.deepEqual(paths, ['/api/download/t/file/f0?r=rex', '/api/download/t/all?r=rex']);
});

test('without files there is nothing to do', () => {
  assert.equal(actOn(0).action, undefined);
});
