import assert from 'node:assert/strict';
import { test } from 'vitest';
import { countOf } from '../../../contracts/values/format.ts';
import { downloadsOf, nameOfDownload } from './wording.ts';

test('counts with singular and plural', () => {
  assert.equal(countOf(1, 'file'), '1 file');
  assert.equal(countOf(0, 'file'), '0 files');
  assert.equal(countOf(1200, 'file'), '1,200 files');
});

test('shows the downloads, with the limit if there is one', () => {
  assert.equal(downloadsOf({ downloadCount: 1, maxDownloads: null }), '1 download');
  assert.equal(downloadsOf({ downloadCount: 3, maxDownloads: 10 }), '3 of 10 downloads');
});

test('a download is named by its file, a zip by its contents', () => {
  const file = {
    id: 'a',
    originalName: 'film.mov',
    relativePath: 'cut/film.mov',
    mimeType: 'video/quicktime',
    size: 1,
    uploadedAt: '2026-03-14T12:00:00.000Z',
    downloadCount: 0,
  };
  const name = (fileId: string | null, selectedFiles: number | null = null) =>
    nameOfDownload({ fileId, selectedFiles }, { files: [file as never], fileCount: 3 });
  assert.equal(name('a'), 'film.mov');
  assert.equal(name(null), 'All files');
  assert.equal(name(null, 2), '2 of 3 files');
  assert.equal(name(null, 1), '1 of 3 files');
  assert.equal(name('gone'), 'One file');
});
