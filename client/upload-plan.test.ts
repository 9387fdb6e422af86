import assert from 'node:assert/strict';
import test from 'node:test';
import { ApiError } from './api-error.ts';
import { announceAccepted, toUploadRequest } from './upload-plan.ts';

const FILE = { relativePath: 'a/run.sh', size: 3, mimeType: 'text/plain', mode: 0o755 };

test('a file is announced with its time and mode, and without a time that no server accepts', () => {
  const { fileName, modifiedAt, mode } = toUploadRequest({ ...FILE, modifiedAt: -1.5 });
  assert.deepEqual([fileName, modifiedAt, mode], ['run.sh', '1969-12-31T23:59:59.998Z', 0o755]);
  for (const unknown of [undefined, Number.NaN, 8.64e15, -8.64e15])
    assert.equal(toUploadRequest({ ...FILE, modifiedAt: unknown }).modifiedAt, undefined);
});

test('times and modes are left out for a server that refuses these fields, and only then', async () => {
  const file = toUploadRequest({ ...FILE, modifiedAt: 0 });
  const announceRefused = async (errors: Record<string, string>) => {
    const announced: object[] = [];
    const announce = async ([each]: object[]) => {
      announced.push(each!);
      if (announced.length === 1) throw new ApiError(400, 'No.', { code: 'invalid_input', errors });
    };
    await announceAccepted([file], announce).catch(() => undefined);
    return announced;
  };
  const { modifiedAt: _time, mode: _mode, ...bare } = file;
  assert.deepEqual(await announceRefused({ 'files.0.modifiedAt': 'There is no such field' }), [file, bare]);
  assert.deepEqual(await announceRefused({ 'files.0.fileSize': 'Too large' }), [file]);
});
