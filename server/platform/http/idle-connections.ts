import type { Server } from 'node:http';
import type { Socket } from 'node:net';

/**
 * Makes `server.close()` end each connection when its last answer is out, and not before. Node itself takes a
 * connection for idle as soon as `response.end()` was called, and so cuts the last block of a download that a
 * slow client is still taking; one that was busy when the server closed it leaves open until it times out.
 * Call it before the server listens.
 */
export function closeConnectionsWhenIdle(server: Server): void {
  /** Answers that are not yet handed to the system, by connection. */
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
