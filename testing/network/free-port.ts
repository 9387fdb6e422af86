import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/**
 * Finds a loopback port on which nothing listens, below the ephemeral ports: an outgoing connection could otherwise
 * take the port while its server restarts, or connect to itself.
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
