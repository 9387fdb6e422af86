import assert from 'node:assert/strict';
import test from 'node:test';
import {
  type HashingTurn,
  hashPassword,
  hashSha1,
  rehashPassword,
  UNKNOWN_USER_HASH,
  verifyPassword,
} from './passwords.ts';
import { INACTIVE_HASH, isUsableHash, isUsableSha1, sha1Hex } from './stored-hashes.ts';

test('a password matches its own hash and no other', async () => {
  const hash = await hashPassword('correct horse');
  assert.match(hash, /^\$argon2id\$v=19\$m=19456,t=2,p=1\$[\w+/]{22}\$[\w+/]{43}$/);
  assert.equal(await verifyPassword(hash, 'correct horse'), true);
  assert.equal(await verifyPassword(hash, 'Correct horse'), false);
  assert.equal(await verifyPassword(hash, ''), false);
});

test('hashing the same password twice gives different hashes', async () => {
  assert.notEqual(await hashPassword('correct horse'), await hashPassword('correct horse'));
});

test('a hash with other parameters still verifies', async () => {
  // Test vector of the PHC reference implementation: argon2id, m=65536, t=2, p=1, 'password', 'somesalt'.
  const foreign = '$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc';
  assert.equal(await verifyPassword(foreign, 'password'), true);
  assert.equal(await verifyPassword(foreign, 'Password'), false);
});

/** From the published test vectors of OpenBSD's bcrypt: cost 5, and of PHP's crypt(): the label $2y$, cost 7. */
const BCRYPT = [
  ['U*U', '$2a$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW'],
  ['rasmuslerdorf', '$2y$07$usesomesillystringfore2uDLvp1Ii2e./U9C8sBjqp8I90dH6hi'],
] as const;

test('bcrypt hashes of other products are verified', async () => {
  for (const [password, hash] of BCRYPT) {
    assert.equal(await verifyPassword(hash, password), true, hash);
    assert.equal(await verifyPassword(hash, `${password}!`), false, hash);
  }
});

test('a salted SHA-1 hash is stored inside argon2id and still verified', async () => {
  const salt = 'a long salt of the installation, äöü';
  const wrapped = await hashSha1({ digest: sha1Hex('pässword', salt), salt });
  assert.match(wrapped, /^\$sha1\$[\w-]+\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
  assert.ok(!wrapped.includes(sha1Hex('pässword', salt)));
  assert.equal(await verifyPassword(wrapped, 'pässword'), true);
  assert.equal(await verifyPassword(wrapped, 'password'), false);
});

test('imported hashes are replaced once, and current ones are kept', async () => {
  for (const stored of [BCRYPT[0][1], '$argon2id$v=19$m=65536,t=3,p=4$c29tZXNhbHQ$AAAAAAAAAAAAAAAAAAAAAA']) {
    const renewed = await rehashPassword(stored, 'U*U');
    assert.match(renewed!, /^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
    assert.equal(await rehashPassword(renewed!, 'U*U'), undefined);
  }
});

test('no password matches the hash of an inactive account', async () => {
  for (const password of ['', '!', 'any']) assert.equal(await verifyPassword(INACTIVE_HASH, password), false);
});

test('hashes that would cost too much to check, or are none, are not usable', () => {
  const argon2 = (cost: string, rest = 'c29tZXNhbHQ$AAAAAAAAAAAAAAAAAAAAAA') =>
    `$argon2id$v=19$${cost}$${rest}`;
  for (const hash of [argon2('m=65536,t=3,p=4'), BCRYPT[0][1], BCRYPT[1][1]])
    assert.equal(isUsableHash(hash), true, hash);
  for (const hash of [
    '',
    'secret',
    '!',
    '$2x$07$usesomesillystringfore2uDLvp1Ii2e./U9C8sBjqp8I90dH6hi',
    '$2y$15$usesomesillystringfore2uDLvp1Ii2e./U9C8sBjqp8I90dH6hi',
    argon2('m=999999,t=3,p=4'),
    argon2('m=65536,t=100,p=1'),
    argon2('m=8,t=1,p=4'),
    argon2('m=65536,t=3,p=4', 'c29t$AAAAAAAAAAAAAAAAAAAAAA'),
    argon2('m=65536,t=3,p=4', `c29tZXNhbHQ$${'A'.repeat(200)}`),
  ])
    assert.equal(isUsableHash(hash), false, hash);
  assert.equal(isUsableSha1({ digest: 'f'.repeat(40), salt: 'salt' }), true);
  for (const sha1 of [
    { digest: 'f'.repeat(39), salt: 'salt' },
    { digest: 'f'.repeat(40), salt: '' },
    { digest: 'f'.repeat(40), salt: 'x'.repeat(257) },
  ])
    assert.equal(isUsableSha1(sha1), false);
});

test('the hash of an unknown user costs the same to check and matches no password', async () => {
  const parametersOf = (hash: string) => hash.split('$').slice(1, 4);
  assert.deepEqual(parametersOf(UNKNOWN_USER_HASH), parametersOf(await hashPassword('any')));
  assert.equal(await verifyPassword(UNKNOWN_USER_HASH, ''), false);
});

test('a password of more than 1 KiB is not hashed', async () => {
  await assert.rejects(hashPassword('x'.repeat(1025)), { code: 'invalid_input' });
  await assert.rejects(hashPassword('é'.repeat(513)), { code: 'invalid_input' });
  const hash = await hashPassword('x'.repeat(1024));
  assert.equal(await verifyPassword(hash, 'x'.repeat(1024)), true);
  assert.equal(await verifyPassword(hash, 'x'.repeat(1025)), false);
});

const cheap = '$argon2id$v=19$m=8,t=1,p=1$c29tZXNhbHQ$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA';

test('a flood is refused immediately with Retry-After, and queued hashes still run', async () => {
  const flood = Array.from({ length: 230 }, (_, index) =>
    verifyPassword(cheap, 'short', { account: `account ${index}` }),
  );
  const answers = await Promise.allSettled(flood);
  const refused = answers.filter((answer) => answer.status === 'rejected');
  assert.equal(refused.length, 230 - 1 - 200);
  for (const { reason } of refused)
    assert.deepEqual([reason.code, reason.status, reason.retryAfterSeconds], ['unavailable', 503, 2]);
  assert.equal(await verifyPassword(cheap, 'short'), false);
});

test('setting passwords in bulk neither fills the queue for others nor delays a sign-in', async () => {
  const finished: string[] = [];
  const check = async (name: string, turn: HashingTurn) => {
    await verifyPassword(cheap, 'short', turn);
    finished.push(name);
  };
  const bulk = Array.from({ length: 80 }, () => check('bulk', { account: 'paula' }));
  const other = check('other', { account: 'frida' });
  const signIn = check('sign-in', { lane: 'sign-in', account: 'frida' });
  const outcomes = await Promise.allSettled([...bulk, other, signIn]);
  assert.equal(outcomes.filter(({ status }) => status === 'rejected').length, 80 - 1 - 50);
  assert.ok(finished.indexOf('sign-in') < 4, 'sign-ins have a lane of their own');
  assert.ok(finished.indexOf('other') < 4, 'the accounts take turns');
});
