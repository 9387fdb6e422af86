import { readFile } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** Checks per `stallMs`. */
const CHECKS = 4;

/**
 * Disconnects a client that accepts no bytes for `stallMs`; detection may take a quarter longer. Node's own timeout
 * sees progress only once a third of the kernel's send buffer (up to 4 MiB) has drained, which takes minutes on a
 * slow line. So when it fires, this reads from the kernel how many bytes were acknowledged.
 */
export function cutOffWhenStalled(response: ServerResponse, stallMs: number): void {
  let seen = '';
  let checksWithoutProgress = 0;
  response.setTimeout(stallMs / CHECKS, async () => {
    const progress = response.socket ? await describeProgress(response.socket) : '';
    if (response.destroyed || response.writableFinished) return;
    checksWithoutProgress = progress === seen ? checksWithoutProgress + 1 : 0;
    if (checksWithoutProgress === CHECKS) return void response.destroy();
    seen = progress;
    response.socket?.setTimeout(stallMs / CHECKS);
  });
}

async function describeProgress(socket: Socket): Promise<string> {
  const unsent = await readUnsentBytes(socket);
  return `${socket.bytesWritten} handed over, ${unsent} of them unsent`;
}

type Ends = Pick<Socket, 'localPort' | 'remotePort' | 'remoteFamily'>;

/**
 * Bytes in the kernel that the other end has not acknowledged; undefined where the system does not report them.
 * If two remote hosts use the same port, this is the sum of both, which is good enough to detect progress.
 */
export async function readUnsentBytes(socket: Ends): Promise<number | undefined> {
  const table = await readFile(
    `/proc/self/net/${socket.remoteFamily === 'IPv6' ? 'tcp6' : 'tcp'}`,
    'utf8',
  ).catch(() => undefined);
  const [local, remote] = [socket.localPort, socket.remotePort].map(toHexPort);
  const lines = table?.matchAll(new RegExp(`:${local} [0-9A-F]+:${remote} [0-9A-F]{2} ([0-9A-F]{8}):`, 'g'));
  return lines && [...lines].reduce((sum, line) => sum + Number.parseInt(line[1]!, 16), 0);
}

function toHexPort(port = 0): string {
  return port.toString(16).toUpperCase().padStart(4, '0');
}
