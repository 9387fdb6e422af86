import assert from 'node:assert/strict';
import test from 'node:test';
import { MIB } from '../../../contracts/values/sizes.ts';
import { readConfig } from '../../config.ts';

const read = (env: Record<string, string>) => readConfig({ DATA_DIR: '/tmp', ...env }).scan;

test('SCAN is a host with a port, or a socket; without it there is no scanner', () => {
  assert.equal(read({}), undefined);
  assert.equal(read({ SCAN: '', SCAN_UNSCANNED: 'hold' }), undefined);
  assert.deepEqual(read({ SCAN: 'clamd://clamav:3310' }), {
    url: 'clamd://clamav:3310',
    address: { host: 'clamav', port: 3310 },
    maxBytes: 100 * MIB,
    unscanned: 'allow',
  });
  assert.deepEqual(read({ SCAN: 'clamd://[::1]:3310/' })!.address, { host: '::1', port: 3310 });
  assert.deepEqual(read({ SCAN: 'clamd:///run/clamav/clamd.ctl' })!.address, {
    path: '/run/clamav/clamd.ctl',
  });
  const strict = read({ SCAN: 'clamd:///s', SCAN_UNSCANNED: 'hold', SCAN_MAX_SIZE: '4000' })!;
  assert.deepEqual([strict.unscanned, strict.maxBytes], ['hold', 4000 * MIB]);
});

test('all invalid settings are explained at once, in plain sentences', () => {
  for (const SCAN of [
    'clamav:3310',
    'http://clamav:3310',
    'clamd://clamav',
    'clamd://',
    'clamd:///',
    'clamd://a:1/b',
  ])
    assert.throws(
      () => read({ SCAN }),
      { message: /^SCAN must be clamd:\/\/host:port or clamd:\/\/\/path/ },
      SCAN,
    );
  assert.throws(() => read({ SCAN_MAX_SIZE: '4001', SCAN_UNSCANNED: 'no' }), {
    message: 'SCAN_MAX_SIZE must be a whole number from 1 to 4000.\nSCAN_UNSCANNED must be allow or hold.',
  });
});
