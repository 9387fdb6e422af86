/** Between the worker that decrypts and the service worker that feeds the browser's download. */
export type FromSaver =
  | { kind: 'pieces'; pieces: Uint8Array<ArrayBuffer>[] }
  /** All bytes were sent. */
  | { kind: 'end' }
  | { kind: 'abort' };

export type FromServiceWorker =
  /** The browser may request the download. */
  | { kind: 'ready' }
  /** The browser wants the next pieces, so it has taken all earlier ones. */
  | { kind: 'pull' }
  | { kind: 'canceled' };

/** From the page to the service worker. Offers carry the port to the saver, pings a port for the answer. */
export type PageMessage =
  | { kind: 'offer'; id: string; name: string; sizeBytes: number }
  | { kind: 'ping'; id: string };

export type PingAnswer = { isAlive: boolean };
