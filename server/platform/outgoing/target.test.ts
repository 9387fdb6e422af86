import assert from 'node:assert/strict';
import test from 'node:test';
import { OutgoingRefusal } from './refusal.ts';
import { type Address, findTarget } from './target.ts';

const PUBLIC: Address = { address: '93.184.216.34', family: 4 };
const PUBLIC_6: Address = { address: '2606:2800:220:1:248:1893:25c8:1946', family: 6 };

const findPublic = (url: string, addresses: Address[] = [PUBLIC]) =>
  findTarget(url, { allowPrivate: false, resolve: async () => addresses });

const NOT_PUBLIC = [
  'localhost',
  'LOCALHOST.',
  'hooks.localhost',
  '127.0.0.1',
  '127.1',
  '127.255.255.254',
  '2130706433',
  '0x7f.0.0.1',
  '017700000001',
  '①②⑦.0.0.1',
  '0.0.0.0',
  '0.1.2.3',
  '10.0.0.1',
  '100.64.0.1',
  '100.127.255.255',
  '169.254.169.254',
  '172.16.0.1',
  '172.31.255.255',
  '192.0.0.1',
  '192.0.2.1',
  '192.88.99.1',
  '192.168.1.1',
  '198.18.0.1',
  '198.51.100.7',
  '203.0.113.7',
  '224.0.0.1',
  '240.0.0.1',
  '255.255.255.255',
  '[::]',
  '[::1]',
  '[::127.0.0.1]',
  '[::ffff:127.0.0.1]',
  '[::ffff:93.184.216.34]',
  '[::ffff:0:10.0.0.1]',
  '[64:ff9b::10.0.0.1]',
  '[64:ff9b:1::1]',
  '[100::1]',
  '[2001::1]',
  '[2001:db8::1]',
  '[2002:7f00:1::]',
  '[3fff::1]',
  '[5f00::1]',
  '[fc00::1]',
  '[fd12:3456::1]',
  '[fe80::1]',
  '[fec0::1]',
  '[ff02::1]',
];

test('private, local and reserved addresses are refused in every notation', async () => {
  for (const host of NOT_PUBLIC)
    await assert.rejects(findPublic(`https://${host}/hook`), /private network/, host);
});

test('a name is refused if any of its addresses is not public', async () => {
  const inside: Address[] = [
    { address: '10.0.0.1', family: 4 },
    { address: '169.254.169.254', family: 4 },
    { address: '::1', family: 6 },
    { address: '::ffff:192.168.0.1', family: 6 },
    { address: 'fd00::1', family: 6 },
  ];
  for (const address of inside) {
    for (const addresses of [[address], [PUBLIC, address], [address, PUBLIC_6]])
      await assert.rejects(findPublic('https://hooks.example.com/', addresses), /private network/);
  }
});

test('a public host is accepted by name or address, and the checked addresses are returned', async () => {
  const target = await findPublic('https://hooks.example.com/a?b=c', [PUBLIC, PUBLIC_6]);
  assert.deepEqual(target.addresses, [PUBLIC, PUBLIC_6]);
  assert.equal(target.url.href, 'https://hooks.example.com/a?b=c');
  assert.deepEqual((await findPublic('https://93.184.216.34:8443/')).addresses, [PUBLIC]);
  assert.deepEqual((await findPublic(`https://[${PUBLIC_6.address}]/`)).addresses, [PUBLIC_6]);
});

test('anything but https without a password on an allowed port is refused with an explanation', async () => {
  const cases: [url: string, sentence: RegExp][] = [
    ['nonsense', /not a valid URL/],
    ['http://hooks.example.com/', /https/],
    ['file:///etc/passwd', /https/],
    ['https://user@hooks.example.com/', /user name/],
    ['https://:secret@hooks.example.com/', /user name/],
    ['https://hooks.example.com:22/', /port/],
    ['https://hooks.example.com:80/', /port/],
    ['https://hooks.example.com:0/', /port/],
  ];
  for (const [url, sentence] of cases) await assert.rejects(findPublic(url), sentence, url);
  await assert.rejects(findPublic('https://unknown.example.com/', []), /could not be found/);
});

test('allowing private networks also allows plain http and any port, but no password', async () => {
  const find = (url: string) => findTarget(url, { allowPrivate: true });
  assert.deepEqual((await find('http://127.0.0.1:81/')).addresses, [{ address: '127.0.0.1', family: 4 }]);
  assert.ok((await find('http://localhost:81/')).addresses.length > 0);
  await assert.rejects(find('http://user:secret@127.0.0.1/'), OutgoingRefusal);
  await assert.rejects(find('ftp://127.0.0.1/'), OutgoingRefusal);
});

test('with a list of hosts only these are allowed, and checked before resolving', async () => {
  const allowedHosts = ['hooks.example.org', '*.example.com', '93.184.216.34'];
  const find = (url: string) =>
    findTarget(url, { allowPrivate: false, allowedHosts, resolve: async () => [PUBLIC] });
  for (const host of [
    'hooks.example.org',
    'HOOKS.example.org.',
    'a.example.com',
    'a.b.example.com',
    '93.184.216.34',
  ])
    assert.equal((await find(`https://${host}/`)).addresses.length, 1, host);
  const lookups: string[] = [];
  const resolve = async (name: string) => {
    lookups.push(name);
    return [PUBLIC];
  };
  for (const host of [
    'example.org',
    'example.com',
    'nohooks.example.org',
    'hooks.example.org.evil.net',
    'badexample.com',
  ])
    await assert.rejects(
      findTarget(`https://${host}/`, { allowPrivate: false, allowedHosts, resolve }),
      /operator of this server/,
      host,
    );
  assert.deepEqual(lookups, []);
});
