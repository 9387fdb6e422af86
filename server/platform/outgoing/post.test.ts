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
import { type PostRequest, postTo } from './post.ts';
import { explainFailure } from './refusal.ts';
import { findTarget } from './target.ts';

const LOOPBACK = [{ address: '127.0.0.1', family: 4 as const }];

const request = (changes: Partial<PostRequest> = {}): PostRequest => ({
  headers: [{ name: 'content-type', value: 'application/json' }],
  body: '{"ü":1}',
  timeoutMs: 5_000,
  maxResponseBytes: 8_192,
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

async function postToServer(t: TestContext, listener: RequestListener, changes: Partial<PostRequest> = {}) {
  const port = await listen(t, createServer(listener));
  return postTo(
    { url: new URL(`http://hooks.example.com:${port}/hook`), addresses: LOOPBACK },
    request(changes),
  );
}

const reasonOf = (posted: Promise<unknown>) =>
  posted.then(
    () => assert.fail('a response arrived'),
    (error: unknown) => explainFailure(error),
  );

test('a request arrives complete, at the checked address, with the original host name', async (t) => {
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

test('a name is not resolved again after it was checked', async (t) => {
  const port = await listen(
    t,
    createServer((_request, response) => response.end('checked')),
  );
  let lookups = 0;
  const resolve = async () => {
    lookups += 1;
    return lookups === 1 ? LOOPBACK : [{ address: '127.0.0.2', family: 4 as const }];
  };
  const target = await findTarget(`http://rebinding.example.com:${port}/`, { allowPrivate: true, resolve });
  assert.equal((await postTo(target, request())).body, 'checked');
  assert.equal((await postTo(target, request())).body, 'checked');
  assert.equal(lookups, 1);
});

test('a redirect is a response like any other and not followed', async (t) => {
  let requests = 0;
  const answer = await postToServer(t, (_request, response) => {
    requests += 1;
    response.writeHead(302, { location: '/elsewhere' }).end();
  });
  assert.deepEqual([answer.status, requests], [302, 1]);
});

test('an endless response is truncated and the connection closed', async (t) => {
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

test('bytes that are not text become text that any database accepts', async (t) => {
  const answer = await postToServer(t, (_request, response) => response.end(Buffer.from([0, 0xff, 65])));
  assert.equal(answer.body, '\uFFFD\uFFFDA');
  assert.equal(answer.isTruncated, false);
});

test('servers that never respond or never finish time out', async (t) => {
  const silent = postToServer(t, () => {}, { timeoutMs: 150 });
  assert.equal(await reasonOf(silent), 'No complete response arrived within 0.15 seconds.');
  const endless = postToServer(t, (_request, response) => response.write('beginning'), { timeoutMs: 150 });
  assert.equal(await reasonOf(endless), 'No complete response arrived within 0.15 seconds.');
});

test('failed connections are explained in a sentence', async (t) => {
  const reset = postToServer(t, (request) => request.socket.destroy());
  assert.equal(await reasonOf(reset), 'The connection was closed before a response arrived.');
  const upgraded = postToServer(t, (request) =>
    request.socket.write('HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n'),
  );
  assert.equal(await reasonOf(upgraded), 'The connection was closed before a response arrived.');
  const babble = createTcpServer((socket) => socket.resume().end('no HTTP at all\r\n\r\n'));
  await once(babble.listen(0, '127.0.0.1'), 'listening');
  t.after(() => babble.close());
  const url = new URL(`http://hooks.example.com:${(babble.address() as AddressInfo).port}/`);
  const target = { url, addresses: LOOPBACK };
  assert.equal(await reasonOf(postTo(target, request())), 'The response is not valid HTTP.');
  babble.close();
  await once(babble, 'close');
  assert.equal(await reasonOf(postTo(target, request())), 'The connection was refused.');
});

test('https needs a certificate of a known authority for this name', async (t) => {
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
  const post = (host: string, changes: Partial<PostRequest>) =>
    postTo({ url: new URL(`https://${host}:${port}/`), addresses: LOOPBACK }, request(changes));
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
    request(),
  );
  assert.match(await reasonOf(toPlain), /secure connection failed/);
});
