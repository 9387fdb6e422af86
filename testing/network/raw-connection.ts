import { connect, type Socket } from 'node:net';

/** A client that says on the wire whatever it likes. */
export class RawConnection {
  readonly #socket: Socket;
  #received = '';
  readonly #answered = Promise.withResolvers<number | undefined>();
  readonly closed: Promise<void>;

  constructor(port: number) {
    this.#socket = connect({ port, host: '127.0.0.1' });
    this.#socket.setEncoding('latin1');
    this.#socket.on('data', (text: string) => {
      this.#received += text;
      const status = /^HTTP\/1\.1 (\d{3})[\s\S]*?\r\n\r\n/.exec(this.#received)?.[1];
      if (status) this.#answered.resolve(Number(status));
    });
    // A reset is one of the ways to be refused.
    this.#socket.on('error', () => {});
    this.closed = new Promise((resolve) => {
      this.#socket.once('close', () => {
        this.#answered.resolve(undefined);
        resolve();
      });
    });
  }

  /** What has arrived so far, as Latin-1. */
  get received(): string {
    return this.#received;
  }

  /** Resolves when the system has taken the bytes, or the line is cut. */
  write(bytes: string | Uint8Array): Promise<void> {
    return new Promise((resolve) => this.#socket.write(bytes, () => resolve()));
  }

  /** Says that nothing more will come. */
  end(): void {
    this.#socket.end();
  }

  /** The status of the answer; undefined when the line was closed without one. */
  readStatus(): Promise<number | undefined> {
    return this.#answered.promise;
  }

  /** Goes away in the midst of it; `rudely` with a reset. */
  vanish({ rudely = false } = {}): void {
    if (rudely) this.#socket.resetAndDestroy();
    else this.#socket.destroy();
  }
}

/** A request's head as text, with a blank line at its end. */
export function writeHead(requestLine: string, headers: Record<string, string | number>): string {
  const lines = Object.entries({ host: '127.0.0.1', ...headers }).map(([name, value]) => `${name}: ${value}`);
  return `${requestLine} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`;
}
