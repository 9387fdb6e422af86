import { connect, type Socket } from 'node:net';
import { finished } from 'node:stream/promises';
import { setImmediate } from 'node:timers/promises';
import { MINUTE_MS, SECOND_MS } from '../../../contracts/values/durations.ts';

export type ClamdAddress = { host: string; port: number } | { path: string };

export type ScanVerdict =
  | { kind: 'clean' }
  | { kind: 'infected'; signature: string }
  | { kind: 'unscanned'; reason: 'encrypted' | 'too-large' | 'failed' };

/** The scanner cannot be reached or timed out. */
export class ScannerAway extends Error {
  override name: string = 'ScannerAway';
}

/** The connection closed during a stream: clamd crashed, was stopped, or refused an oversized stream. */
export class ScanBrokeOff extends ScannerAway {
  override name = 'ScanBrokeOff';
}

export interface ScanStream {
  /**
   * Resolves once `bytes` may be reused. Ignored after clamd has answered. Throws ScannerAway, ScanBrokeOff.
   */
  write(bytes: Buffer): Promise<void>;
  /** Waits for the verdict. Throws ScannerAway, ScanBrokeOff. */
  end(): Promise<ScanVerdict>;
  /** Safe at any time. */
  close(): void;
}

type Timeouts = {
  /** Per connection and per piece of bytes. */
  connectMs: number;
  /** From the last byte to the verdict. clamd's own limit is two minutes by default (`MaxScanTime`). */
  verdictMs: number;
  /** How long clamd may take to refuse an announced length. */
  limitMs: number;
};

const TIMEOUTS: Timeouts = { connectMs: 20 * SECOND_MS, verdictMs: 5 * MINUTE_MS, limitMs: 2 * SECOND_MS };
/** A longer answer is not from clamd. */
const ANSWER_MAX = 4_096;

/** clamd's socket protocol (clamd(8)), one connection per command. */
export class Clamd {
  readonly #address: ClamdAddress;
  readonly #timeouts: Timeouts;

  constructor(address: ClamdAddress, timeouts: Partial<Timeouts> = {}) {
    this.#address = address;
    this.#timeouts = { ...TIMEOUTS, ...timeouts };
  }

  /** Throws ScannerAway. */
  async ping(): Promise<void> {
    const answer = await this.#query('PING');
    if (answer !== 'PONG') throw new ScannerAway(`The scanner answered “${answer}” to PING.`);
  }

  /** For example `ClamAV 1.4.3/27700/Mon Jul 14 08:27:01 2025`. */
  version(): Promise<string> {
    return this.#query('VERSION');
  }

  /** Write all bytes, get the verdict, then close. Throws ScannerAway. */
  async open(): Promise<ScanStream> {
    const connection = await this.#connect();
    await connection.send(Buffer.from('zINSTREAM\0'));
    connection.isStreaming = true;
    return {
      write: (bytes) => connection.sendPiece(bytes),
      end: async () => {
        await connection.send(Buffer.alloc(4));
        return parseVerdict(await connection.readAnswer(this.#timeouts.verdictMs));
      },
      close: () => connection.close(),
    };
  }

  /**
   * True if the length exceeds clamd's `StreamMaxLength`, which it checks before any byte. Throws
   * ScannerAway.
   */
  async exceedsStreamLimit(sizeBytes: number): Promise<boolean> {
    const connection = await this.#connect();
    try {
      await connection.send(Buffer.from('zINSTREAM\0'), uint32(sizeBytes));
      const answer = await connection.readAnswer(this.#timeouts.limitMs).catch(() => undefined);
      return answer !== undefined && SIZE_LIMIT.test(answer);
    } finally {
      connection.close();
    }
  }

  async #query(command: string): Promise<string> {
    const connection = await this.#connect();
    try {
      await connection.send(Buffer.from(`z${command}\0`));
      return await connection.readAnswer(this.#timeouts.connectMs);
    } finally {
      connection.close();
    }
  }

  async #connect(): Promise<Connection> {
    const socket = connect(this.#address);
    const connection = new Connection(socket, this.#timeouts.connectMs);
    try {
      await connection.opened();
    } catch (error) {
      connection.close();
      throw error;
    }
    return connection;
  }
}

class Connection {
  readonly #socket: Socket;
  readonly #timeoutMs: number;
  readonly #answered: Promise<void>;
  #answer = '';
  #isAnswered = false;
  #failure: Error | undefined;
  isStreaming = false;

  constructor(socket: Socket, timeoutMs: number) {
    this.#socket = socket;
    this.#timeoutMs = timeoutMs;
    socket.setNoDelay(true);
    socket.on('data', (data) => {
      this.#answer += data.toString('latin1');
      if (this.#answer.includes('\0') || this.#answer.length > ANSWER_MAX) this.#isAnswered = true;
    });
    socket.on('error', (error) => {
      this.#failure = error;
    });
    this.#answered = new Promise((resolve) => {
      socket.on('data', () => this.#isAnswered && resolve());
      finished(socket, { writable: false }).then(resolve, resolve);
    });
  }

  async opened(): Promise<void> {
    await this.#within(this.#timeoutMs, (done) => this.#socket.once('connect', () => done()));
  }

  /** Drops bytes after an early answer (a size limit). */
  async send(...pieces: Buffer[]): Promise<void> {
    // Writing to a connection that clamd has closed would discard an answer that has arrived: read that first.
    await setImmediate();
    if (this.#isAnswered) return;
    await this.#within(this.#timeoutMs, (done) => {
      this.#socket.cork();
      for (const piece of pieces.slice(0, -1)) this.#socket.write(piece);
      this.#socket.write(pieces.at(-1)!, (error) => {
        if (!error) done();
      });
      this.#socket.uncork();
      this.#answered.then(() => {
        if (this.#isAnswered) done();
      });
    });
  }

  async sendPiece(bytes: Buffer): Promise<void> {
    if (bytes.length === 0) return;
    await this.send(uint32(bytes.length), bytes);
  }

  async readAnswer(timeoutMs: number): Promise<string> {
    await this.#within(timeoutMs, (done) => this.#answered.then(done));
    const [answer, ...rest] = this.#answer.split('\0');
    if (rest.length === 0) throw this.#away('It closed the connection without an answer.');
    return answer!.trim();
  }

  close(): void {
    this.#socket.destroy();
  }

  /** Throws ScannerAway if `start` doesn't call `done` in time or the connection ends. */
  #within(timeoutMs: number, start: (done: () => void) => void): Promise<void> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(
        () => reject(new ScannerAway(`The virus scanner did not answer within ${timeoutMs / SECOND_MS} s.`)),
        timeoutMs,
      );
      const onClose = () => {
        clearTimeout(timer);
        // clamd may have answered and closed the connection in the same moment.
        if (this.#isAnswered) resolve();
        else reject(this.#away('It closed the connection.'));
      };
      if (this.#socket.destroyed) return onClose();
      this.#socket.once('close', onClose);
      start(() => {
        clearTimeout(timer);
        this.#socket.off('close', onClose);
        resolve();
      });
    });
  }

  #away(reason: string): ScannerAway {
    const Kind = this.isStreaming ? ScanBrokeOff : ScannerAway;
    return new Kind(`The virus scanner does not answer: ${this.#failure?.message ?? reason}`, {
      cause: this.#failure,
    });
  }
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

const SIZE_LIMIT = /^INSTREAM size limit exceeded/;
/** clamd reports what it could not scan as heuristics (AlertEncrypted, AlertExceedsMax). */
const ENCRYPTED = /^Heuristics\.Encrypted\b/;
const BEYOND_LIMITS = /^Heuristics\.Limits\.Exceeded\b/;

function parseVerdict(answer: string): ScanVerdict {
  if (SIZE_LIMIT.test(answer)) return { kind: 'unscanned', reason: 'too-large' };
  if (answer === 'stream: OK') return { kind: 'clean' };
  const [, signature] = /^stream: (.+) FOUND$/s.exec(answer) ?? [];
  if (signature === undefined) return { kind: 'unscanned', reason: 'failed' };
  if (ENCRYPTED.test(signature)) return { kind: 'unscanned', reason: 'encrypted' };
  if (BEYOND_LIMITS.test(signature)) return { kind: 'unscanned', reason: 'too-large' };
  return { kind: 'infected', signature };
}
