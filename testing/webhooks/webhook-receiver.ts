import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { mock, type TestContext } from 'node:test';
import { Webhook as Verifier } from 'standardwebhooks';
import { WebhookPayload } from '../../contracts/accounts/webhooks.ts';
import type { Clock } from '../../server/platform/lib/clock.ts';

export type Received = { headers: Record<string, string>; body: string; path: string };

/** Writes the response, which is 204 by default. */
type Reply = (response: ServerResponse, received: Received, request: IncomingMessage) => void;

export type Receiver = {
  url: string;
  received: Received[];
  answer(reply: Reply | number): void;
};

/** Starts a real HTTP server that receives webhooks. It stops when the test ends. */
export async function startReceiver(t: Pick<TestContext, 'after'>): Promise<Receiver> {
  const received: Received[] = [];
  let reply: Reply = (response) => response.writeHead(204).end();
  const server = createServer(async (request, response) => {
    const headers = request.headers as Record<string, string>;
    const each = { headers, body: await text(request), path: request.url ?? '' };
    received.push(each);
    reply(response, each, request);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    received,
    answer: (next) => {
      reply = typeof next === 'number' ? (response) => response.writeHead(next).end() : next;
    },
  };
}

/** Returns the payload if the signature is valid at the server's time. Throws the error of Standard Webhooks. */
export function verify({ headers, body }: Received, secret: string, clock: Clock): WebhookPayload {
  mock.timers.enable({ apis: ['Date'], now: clock.now() });
  try {
    return WebhookPayload.parse(new Verifier(secret).verify(body, headers));
  } finally {
    mock.timers.reset();
  }
}
