import type { Server } from 'node:http';
import type { Socket } from 'node:net';

/**
 * Makes `server.close()` end each connection once its last response is fully sent. Node itself considers a connection
 * idle after `response.end()`, which cuts off the last block of a download to a slow client, and leaves connections
 * that were busy at `close()` open until they time out. Call it before the server listens.
 */
export function closeConnectionsWhenIdle(server: Server): void {
  /** Responses not yet handed to the kernel, by connection. */
  const unsent = new Map<Socket, number>();
  server.on('connection', (socket: Socket) => {
    unsent.set(socket, 0);
    socket.once('close', () => unsent.delete(socket));
  });
  server.prependListener('request', ({ socket }, response) => {
    unsent.set(socket, (unsent.get(socket) ?? 0) + 1);
    response.once('close', () => {
      const left = (unsent.get(socket) ?? 1) - 1;
      if (socket.destroyed) return;
      unsent.set(socket, left);
      if (left === 0 && !server.listening) socket.destroySoon();
    });
  });
  server.closeIdleConnections = () => {
    for (const [socket, answers] of unsent) if (answers === 0) socket.destroy();
  };
}
