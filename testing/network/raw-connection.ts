import { connect, type Socket } from 'node:net';

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
    // A reset counts as a valid refusal.
    this.#socket.on('error', () => {});
    this.closed = new Promise((resolve) => {
      this.#socket.once('close', () => {
        this.#answered.resolve(undefined);
        resolve();
      });
    });
  }

  get received(): string {
    return this.#received;
  }

  /** Resolves when the bytes were handed to the operating system or the connection is closed. */
  write(bytes: string | Uint8Array): Promise<void> {
    return new Promise((resolve) => this.#socket.write(bytes, () => resolve()));
  }

  end(): void {
    this.#socket.end();
  }

  /** The status of the response, or undefined if the connection was closed without one. */
  readStatus(): Promise<number | undefined> {
    return this.#answered.promise;
  }

  /** Closes the connection midway; with a reset if `rudely`. */
  vanish({ rudely = false } = {}): void {
    if (rudely) this.#socket.resetAndDestroy();
    else this.#socket.destroy();
  }
}

/** The head of a request including the blank line. */
export function writeHead(requestLine: string, headers: Record<string, string | number>): string {
  const lines = Object.entries({ host: '127.0.0.1', ...headers }).map(([name, value]) => `${name}: ${value}`);
  return `${requestLine} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`;
}
