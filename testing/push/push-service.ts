import { createDecipheriv, createECDH, hkdfSync, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import type { TestContext } from 'node:test';

export type Push = { path: string; headers: IncomingHttpHeaders; body: Buffer };

/** A push service (RFC 8030) that stores what it gets. It stops when the test ends. */
export async function startPushService(t: Pick<TestContext, 'after'>) {
  const pushes: Push[] = [];
  const service = { url: '', pushes, status: 201 };
  const server = createServer(async (request, response) => {
    pushes.push({ path: request.url ?? '', headers: request.headers, body: await buffer(request) });
    response.writeHead(service.status).end();
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  service.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return service;
}

/** A browser that subscribed: its keys, and how it reads a push (RFC 8291). */
export function createPushBrowser(serviceUrl: string, name: string) {
  const ecdh = createECDH('prime256v1');
  const publicKey = ecdh.generateKeys();
  const auth = randomBytes(16);
  return {
    endpoint: `${serviceUrl}/send/${name}`,
    keys: { p256dh: publicKey.toString('base64url'), auth: auth.toString('base64url') },
    read({ body }: Push): { title: string; body: string; tag: string; path: string } {
      const salt = body.subarray(0, 16);
      const theirs = body.subarray(21, 86);
      const sealed = body.subarray(86);
      const info = Buffer.concat([Buffer.from('WebPush: info\0'), publicKey, theirs]);
      const material = Buffer.from(hkdfSync('sha256', ecdh.computeSecret(theirs), auth, info, 32));
      const derive = (label: string, bytes: number) =>
        Buffer.from(hkdfSync('sha256', material, salt, `Content-Encoding: ${label}\0`, bytes));
      const decipher = createDecipheriv('aes-128-gcm', derive('aes128gcm', 16), derive('nonce', 12), {
        authTagLength: 16,
      });
      decipher.setAuthTag(sealed.subarray(-16));
      const padded = Buffer.concat([decipher.update(sealed.subarray(0, -16)), decipher.final()]);
      return JSON.parse(padded.subarray(0, padded.lastIndexOf(2)).toString());
    },
  };
}
