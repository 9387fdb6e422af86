import { readFile } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/**
 * Cuts off a client that has taken nothing for about `stallMs`. Node's own timeout sees a socket move only
 * when a third of the kernel's send buffer (up to 4 MiB) has drained, which takes an honest 5 KB/s client
 * minutes; so when it fires, the kernel is asked before anybody is cut off.
 */
export function cutOffWhenStalled(response: ServerResponse, stallMs: number): void {
  const halfTime = stallMs / 2;
  let seen: string | undefined;
  response.setTimeout(halfTime, async () => {
    const { socket } = response;
    const progress = socket && (await describeProgress(socket));
    if (!socket || response.destroyed || response.writableFinished) return;
    if (progress === seen) return void response.destroy();
    seen = progress;
    socket.setTimeout(halfTime);
  });
}

async function describeProgress(socket: Socket): Promise<string> {
  const unsent = await readUnsentBytes(socket);
  return `${socket.bytesWritten} handed over, ${unsent} of them unsent`;
}

type Ends = Pick<Socket, 'localPort' | 'remotePort' | 'remoteFamily'>;

/**
 * Bytes in the kernel that the other end has not acknowledged; undefined where the system does not tell.
 * Should two remote hosts use the same port, this is the sum of both: good enough to see that something moves.
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
