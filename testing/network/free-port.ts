import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/**
 * A loopback port nobody listens on, below the ports that the system gives to outgoing connections: one of
 * those could take the port while its server is down for a restart, or connect to itself.
 */
export async function findFreePort(): Promise<number> {
  for (;;) {
    const port = randomInt(15_000, 32_000);
    if (await canListen(port)) return port;
  }
}

function canListen(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer().once('error', () => resolve(false));
    probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(true)));
  });
}
