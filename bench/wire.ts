/** A load client that costs little itself: plain sockets, one reused read buffer each, no parsing of bodies. */
import { connect, type NetConnectOpts, type Socket } from 'node:net';

export type Request = {
  port: number;
  path: string;
  method?: string;
  headers?: Record<string, string>;
  body?: Buffer;
};
export type Answer = { status: number; headers: string; body: Buffer; bodyBytes: number };

const READ_BUFFER_BYTES = 1024 * 1024;
/** Bodies are kept up to here, for JSON answers; beyond, only counted. */
const KEPT_BYTES = 4 * 1024 * 1024;

/** One keep-alive connection on which requests follow each other. */
export class Connection {
  readonly #socket: Socket;
  #settle: { resolve(answer: Answer): void; reject(error: Error): void } | undefined;
  #head = '';
  #status = 0;
  #expected = 0;
  #received = 0;
  #kept: Buffer[] = [];
  readonly #keepBodies: boolean;

  constructor(port: number, { keepBodies = true } = {}) {
    this.#keepBodies = keepBodies;
    const options: NetConnectOpts = {
      port,
      host: '127.0.0.1',
      noDelay: true,
      onread: {
        buffer: Buffer.allocUnsafe(READ_BUFFER_BYTES),
        callback: (bytes, buffer) => this.#read(Buffer.from(buffer.buffer, buffer.byteOffset, bytes)),
      },
    };
    this.#socket = connect(options);
    this.#socket.on('error', (error) => this.#fail(error));
    this.#socket.on('close', () => this.#fail(new Error('connection closed')));
  }

  send({ path, method = 'GET', headers = {}, body }: Omit<Request, 'port'>): Promise<Answer> {
    const lines = Object.entries({
      host: '127.0.0.1',
      'content-length': String(body?.length ?? 0),
      ...headers,
    });
    const head = `${method} ${path} HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`;
    this.#head = '';
    this.#status = 0;
    this.#received = 0;
    this.#kept = [];
    this.#socket.cork();
    this.#socket.write(head, 'latin1');
    if (body) this.#socket.write(body);
    this.#socket.uncork();
    return new Promise((resolve, reject) => {
      this.#settle = { resolve, reject };
    });
  }

  close(): void {
    this.#settle = undefined;
    this.#socket.destroy();
  }

  #read(bytes: Buffer): boolean {
    let body = bytes;
    if (this.#status === 0) {
      this.#head += bytes.toString('latin1');
      const end = this.#head.indexOf('\r\n\r\n');
      if (end < 0) return true;
      body = Buffer.from(this.#head.slice(end + 4), 'latin1');
      this.#head = this.#head.slice(0, end);
      this.#status = Number(this.#head.slice(9, 12));
      this.#expected = Number(/\r\ncontent-length: *(\d+)/i.exec(this.#head)?.[1] ?? 0);
    }
    this.#received += body.length;
    if (this.#keepBodies && this.#received <= KEPT_BYTES) this.#kept.push(Buffer.from(body));
    if (this.#received >= this.#expected) this.#finish();
    return true;
  }

  #finish(): void {
    const answer = {
      status: this.#status,
      headers: this.#head,
      body: Buffer.concat(this.#kept),
      bodyBytes: this.#received,
    };
    const settle = this.#settle;
    this.#settle = undefined;
    settle?.resolve(answer);
  }

  #fail(error: Error): void {
    this.#settle?.reject(error);
    this.#settle = undefined;
  }
}

/** Runs the jobs over so many connections at once, each connection taking the next job when it is free. */
export async function overConnections<Job>(
  port: number,
  jobs: Job[],
  lanes: number,
  run: (connection: Connection, job: Job) => Promise<void>,
  options?: { keepBodies?: boolean },
): Promise<void> {
  const queue = jobs.values();
  const lane = async () => {
    const connection = new Connection(port, options);
    for (const job of queue) await run(connection, job);
    connection.close();
  };
  await Promise.all(Array.from({ length: lanes }, lane));
}

export function expectStatus(answer: Answer, ...allowed: number[]): Answer {
  if (allowed.includes(answer.status)) return answer;
  throw new Error(
    `expected ${allowed.join(' or ')}, got ${answer.status}: ${answer.body.toString().slice(0, 200)}`,
  );
}
