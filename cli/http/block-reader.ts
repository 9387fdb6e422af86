import type { IncomingMessage } from 'node:http';
import { isIP, type OnReadOpts, type Socket, connect as tcpConnect } from 'node:net';
import { connect as tlsConnect } from 'node:tls';

const BLOCK_BYTES = 1024 * 1024;
/** Of one read of headers, or of a body of unknown length. */
const PARSER_BYTES = 64 * 1024;
/** The consumer has one, another is being filled, and the last is for what arrives after a pause. */
const BLOCKS = 3;
/** On a slow connection, a block that is not full is passed on after this time. */
const PARTIAL_BLOCK_MS = 200;

type Block = Buffer<ArrayBuffer>;
/** `block` can be used again after these bytes; undefined if more of it follows. */
type Piece = { bytes: Buffer; block: Block | undefined };

/**
 * Reads response bodies into a few large blocks of memory that are used again and again. On a connection of its own
 * (`connect`), the bytes of a body skip Node's HTTP parser and streams: those allocate and copy each 64 KiB, which costs
 * more than the SHA-256 of the bytes. Reads one response at a time.
 */
export class BlockReader {
  readonly #free: Block[] = Array.from({ length: BLOCKS }, () => Buffer.allocUnsafeSlow(BLOCK_BYTES));
  #filling: Block = this.#free.pop()!;
  #filledBytes = 0;
  /** Of the filled bytes, those that are in `#ready` or were yielded. */
  #passedOnBytes = 0;
  #ready: Piece[] = [];
  #socket: Socket | undefined;
  #response: IncomingMessage | undefined;
  /** Of a body that skips the parser. */
  #bytesLeft: number | undefined;
  #hasEnded = false;
  #isPaused = false;
  #resumeReading = () => {};
  #wake = () => {};

  /** True while the consumer, not the network, delays the download. */
  get isPaused(): boolean {
    return this.#isPaused;
  }

  /** Opens a connection for one request to `url`, without a proxy. Pass its response to `begin`. */
  connect({ protocol, hostname, port }: URL): Socket {
    this.#forget();
    const isTls = protocol === 'https:';
    const host = hostname.replace(/^\[|\]$/g, '');
    const forParser = Buffer.allocUnsafeSlow(PARSER_BYTES);
    const onread: OnReadOpts = {
      buffer: () => (this.#bytesLeft === undefined ? forParser : this.#filling.subarray(this.#filledBytes)),
      callback: (length) => this.#receive(socket, forParser, length),
    };
    const options = { host, port: Number(port || (isTls ? 443 : 80)), onread };
    const socket = isTls
      ? tlsConnect({ ...options, servername: isIP(host) ? '' : host, ALPNProtocols: ['http/1.1'] })
      : tcpConnect(options);
    this.#socket = socket;
    this.#resumeReading = () => socket.resume();
    return socket;
  }

  /** Call this as soon as the response arrives. */
  begin(response: IncomingMessage): void {
    this.#forget();
    this.#response = response;
    this.#hasEnded = false;
    // After an error, 'close' follows.
    response.on('error', () => {});
    response.once('close', () => this.#end(response));
  }

  /**
   * Yields the body in blocks of up to 1 MiB until it ends or the connection breaks. A block stays unchanged until
   * the next one is requested.
   */
  async *read(): AsyncGenerator<Buffer> {
    if (this.#bytesLeft === undefined) this.#readThroughParser(this.#response!);
    const timer = setInterval(() => this.#passOnPart(), PARTIAL_BLOCK_MS);
    try {
      for (;;) {
        while (this.#ready.length === 0 && !this.#hasEnded)
          await new Promise<void>((resolve) => {
            this.#wake = resolve;
          });
        const piece = this.#ready.shift();
        if (!piece) return;
        yield piece.bytes;
        if (piece.block) this.#release(piece.block);
      }
    } finally {
      clearInterval(timer);
    }
  }

  /** Returns false if the socket must pause, as must that of an earlier response. */
  #receive(socket: Socket, forParser: Buffer, length: number): boolean {
    if (socket !== this.#socket) return false;
    if (this.#bytesLeft !== undefined) return this.#add(Math.min(length, this.#bytesLeft));
    // The HTTP parser listens to this event. It may keep the bytes.
    socket.emit('data', Buffer.from(forParser.subarray(0, length)));
    return this.#response === undefined || this.#skipParser(this.#response);
  }

  /** Takes the bytes that the parser has read after the headers, and all later ones. */
  #skipParser(response: IncomingMessage): boolean {
    const { statusCode = 0, headers } = response;
    const length = Number(headers['content-length']);
    const isBody = statusCode === 200 || statusCode === 206;
    if (!isBody || !Number.isSafeInteger(length) || response.destroyed) return true;
    this.#bytesLeft = length;
    const first: Buffer | null = response.read();
    return this.#add(first?.copy(this.#filling, this.#filledBytes) ?? 0);
  }

  #readThroughParser(response: IncomingMessage): void {
    this.#resumeReading = () => response.resume();
    response.on('data', (piece: Buffer) => {
      for (let rest = piece; rest.length > 0; ) {
        const copied = rest.copy(this.#filling, this.#filledBytes);
        if (!this.#add(copied)) response.pause();
        rest = rest.subarray(copied);
      }
    });
  }

  /** Counts bytes that were added to the block that is being filled. Returns false if reading must pause. */
  #add(bytes: number): boolean {
    this.#filledBytes += bytes;
    if (this.#bytesLeft !== undefined) this.#bytesLeft -= bytes;
    if (this.#filledBytes === BLOCK_BYTES) this.#passOn();
    if (this.#bytesLeft === 0) this.#end(this.#response!);
    return !this.#isPaused;
  }

  #passOn(): void {
    const isFull = this.#filledBytes === BLOCK_BYTES;
    const bytes = this.#filling.subarray(this.#passedOnBytes, this.#filledBytes);
    this.#ready.push({ bytes, block: isFull ? this.#filling : undefined });
    this.#passedOnBytes = this.#filledBytes;
    if (isFull) this.#takeNextBlock();
    this.#wake();
  }

  /** Pauses at the last free block, because a socket may deliver a few more bytes after it was paused. */
  #takeNextBlock(): void {
    this.#filling = this.#free.pop() ?? Buffer.allocUnsafeSlow(BLOCK_BYTES);
    this.#filledBytes = 0;
    this.#passedOnBytes = 0;
    this.#isPaused = this.#free.length === 0;
  }

  /** The socket has been given the rest of the block for its next bytes, so the block stays the one to fill. */
  #passOnPart(): void {
    if (this.#filledBytes > this.#passedOnBytes && this.#ready.length === 0) this.#passOn();
  }

  #release(block: Block): void {
    this.#free.push(block);
    if (!this.#isPaused) return;
    this.#isPaused = false;
    this.#resumeReading();
  }

  #end(response: IncomingMessage): void {
    if (response !== this.#response || this.#hasEnded) return;
    this.#hasEnded = true;
    if (this.#filledBytes > this.#passedOnBytes) this.#passOn();
    this.#wake();
  }

  /** Forgets the response and its unread bytes. */
  #forget(): void {
    this.#response = undefined;
    this.#bytesLeft = undefined;
    for (const { block } of this.#ready) if (block) this.#free.push(block);
    this.#ready = [];
    this.#filledBytes = 0;
    this.#passedOnBytes = 0;
    this.#isPaused = false;
  }
}
