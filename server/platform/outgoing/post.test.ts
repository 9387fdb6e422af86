import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type RequestListener, type Server } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type TestContext } from 'node:test';
import { type Posting, postTo } from './post.ts';
import { explainFailure } from './refusal.ts';
import { findTarget } from './target.ts';

const LOOPBACK = [{ address: '127.0.0.1', family: 4 as const }];

const posting = (changes: Partial<Posting> = {}): Posting => ({
  headers: [{ name: 'content-type', value: 'application/json' }],
  body: '{"ü":1}',
  timeoutMs: 5_000,
  answerBytes: 8_192,
  signal: new AbortController().signal,
  ...changes,
});

async function listen(t: TestContext, server: Server): Promise<number> {
  await once(server.listen(0, '127.0.0.1'), 'listening');
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

async function postToServer(t: TestContext, listener: RequestListener, changes: Partial<Posting> = {}) {
  const port = await listen(t, createServer(listener));
  return postTo(
    { url: new URL(`http://hooks.example.com:${port}/hook`), addresses: LOOPBACK },
    posting(changes),
  );
}

const reasonOf = (posted: Promise<unknown>) =>
  posted.then(
    () => assert.fail('an answer came'),
    (error: unknown) => explainFailure(error),
  );

test('what is posted arrives whole, at the address that was checked, under the name that was given', async (t) => {
  const answer = await postToServer(t, async (request, response) => {
    const body = Buffer.concat(await Array.fromAsync(request)).toString();
    response
      .writeHead(201, { 'x-seen': request.headers.host!.replace(/:\d+$/, '') })
      .end(request.method + body);
  });
  assert.equal(answer.status, 201);
  assert.equal(answer.body, 'POST{"ü":1}');
  assert.deepEqual(
    answer.headers.filter(({ name }) => name === 'x-seen'),
    [{ name: 'x-seen', value: 'hooks.example.com' }],
  );
});

test('a name that means something else after it was checked is not asked again', async (t) => {
  const port = await listen(
    t,
    createServer((_request, response) => response.end('checked')),
  );
  let looks = 0;
  const resolve = async () => {
    looks += 1;
    return looks === 1 ? LOOPBACK : [{ address: '127.0.0.2', family: 4 as const }];
  };
  const target = await findTarget(`http://rebinding.example.com:${port}/`, { allowPrivate: true, resolve });
  assert.equal((await postTo(target, posting())).body, 'checked');
  assert.equal((await postTo(target, posting())).body, 'checked');
  assert.equal(looks, 1);
});

test('a redirect is an answer like others and is not followed', async (t) => {
  let requests = 0;
  const answer = await postToServer(t, (_request, response) => {
    requests += 1;
    response.writeHead(302, { location: '/elsewhere' }).end();
  });
  assert.deepEqual([answer.status, requests], [302, 1]);
});

test('of an endless answer the first bytes are read, then the connection is closed', async (t) => {
  const closed = Promise.withResolvers<void>();
  const answer = await postToServer(t, (_request, response) => {
    response.on('close', () => closed.resolve());
    const write = () => {
      while (!response.destroyed && response.write('x'.repeat(10_000)));
    };
    response.on('drain', write);
    write();
  });
  assert.deepEqual([answer.body.length, answer.isTruncated], [8_192, true]);
  await closed.promise;
});

test('bytes that are no text become text that any database takes', async (t) => {
  const answer = await postToServer(t, (_request, response) => response.end(Buffer.from([0, 0xff, 65])));
  assert.equal(answer.body, '\uFFFD\uFFFDA');
  assert.equal(answer.isTruncated, false);
});

test('whoever never answers, or never ends, is given up in time', async (t) => {
  const silent = postToServer(t, () => {}, { timeoutMs: 150 });
  assert.equal(await reasonOf(silent), 'No whole answer came within 0.15 seconds.');
  const endless = postToServer(t, (_request, response) => response.write('beginning'), { timeoutMs: 150 });
  assert.equal(await reasonOf(endless), 'No whole answer came within 0.15 seconds.');
});

test('connections that fail are told in a sentence', async (t) => {
  const reset = postToServer(t, (request) => request.socket.destroy());
  assert.equal(await reasonOf(reset), 'The connection was closed before an answer came.');
  const upgraded = postToServer(t, (request) =>
    request.socket.write('HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n'),
  );
  assert.equal(await reasonOf(upgraded), 'The connection was closed before an answer came.');
  const babble = createTcpServer((socket) => socket.resume().end('no HTTP at all\r\n\r\n'));
  await once(babble.listen(0, '127.0.0.1'), 'listening');
  t.after(() => babble.close());
  const url = new URL(`http://hooks.example.com:${(babble.address() as AddressInfo).port}/`);
  const target = { url, addresses: LOOPBACK };
  assert.equal(await reasonOf(postTo(target, posting())), 'The answer is not valid HTTP.');
  babble.close();
  await once(babble, 'close');
  assert.equal(await reasonOf(postTo(target, posting())), 'The connection was refused.');
});

test('https needs a certificate of a known authority for this very name', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'sendwell-tls-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
  const name = ['-subj', '/CN=hooks.example.com', '-addext', 'subjectAltName=DNS:hooks.example.com'];
  const made = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-keyout', key, '-out', cert, '-days', '2'];
  execFileSync('openssl', [...made, ...name], { stdio: 'ignore' });
  const ca = readFileSync(cert, 'utf8');
  const secure = createSecureServer({ key: readFileSync(key), cert: ca }, (_request, response) =>
    response.end('secure'),
  );
  const port = await listen(t, secure);
  const post = (host: string, changes: Partial<Posting>) =>
    postTo({ url: new URL(`https://${host}:${port}/`), addresses: LOOPBACK }, posting(changes));
  assert.equal((await post('hooks.example.com', { ca })).body, 'secure');
  assert.match(await reasonOf(post('hooks.example.com', {})), /certificate.*\(DEPTH_ZERO_SELF_SIGNED_CERT\)/);
  assert.match(
    await reasonOf(post('other.example.com', { ca })),
    /certificate.*\(ERR_TLS_CERT_ALTNAME_INVALID\)/,
  );
  const plain = await listen(
    t,
    createServer((_request, response) => response.end()),
  );
  const toPlain = postTo(
    { url: new URL(`https://hooks.example.com:${plain}/`), addresses: LOOPBACK },
    posting(),
  );
  assert.match(await reasonOf(toPlain), /secure connection failed/);
});
