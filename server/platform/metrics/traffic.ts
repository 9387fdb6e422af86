import type { Socket } from 'node:net';

export type TrafficKind = 'chunk' | 'file' | 'zip' | 'preview' | 'other';

/** By route pattern, because URLs may contain tokens. */
export function kindOfRoute(method: string, pattern: string): TrafficKind {
  if (pattern.startsWith('/api/upload/chunk/') || pattern.startsWith('/api/tus')) return 'chunk';
  if (method === 'PUT' && pattern.startsWith('/api/files/')) return 'chunk';
  if (pattern.endsWith('/form') || pattern.includes('/form/')) return 'chunk';
  if (/\/(all|selection\/:files)$/.test(pattern)) return 'zip';
  if (/\/(thumbnail|preview|backgrounds|ad-files)\b/.test(pattern)) return 'preview';
  return pattern.startsWith('/api/download/') && pattern.includes('/file/') ? 'file' : 'other';
}

export type Exchange = { socket: Socket; kind: TrafficKind };

const countedIn = Symbol('bytes of the socket that are counted');
type CountedSocket = Socket & { [countedIn]?: { in: number; out: number } };

/**
 * Includes headers. Reads the sockets' own counters when a request ends or metrics are scraped, so it costs
 * nothing per piece.
 */
export class Traffic {
  readonly bytesIn = emptyTally();
  readonly bytesOut = emptyTally();
  readonly #running = new Set<Exchange>();

  begin(socket: Socket, kind: TrafficKind): Exchange {
    const exchange = { socket, kind };
    this.#running.add(exchange);
    return exchange;
  }

  end(exchange: Exchange): void {
    this.#count(exchange);
    this.#running.delete(exchange);
  }

  /** Includes running requests. */
  catchUp(): void {
    for (const exchange of this.#running) this.#count(exchange);
  }

  countRunning(): Record<TrafficKind, number> {
    const counts = emptyTally();
    for (const { kind } of this.#running) counts[kind] += 1;
    return counts;
  }

  #count({ socket, kind }: Exchange): void {
    const { bytesRead, bytesWritten } = socket;
    const counted = (socket as CountedSocket)[countedIn] ?? { in: 0, out: 0 };
    (socket as CountedSocket)[countedIn] = counted;
    this.bytesIn[kind] += Math.max(0, bytesRead - counted.in);
    this.bytesOut[kind] += Math.max(0, bytesWritten - counted.out);
    counted.in = Math.max(counted.in, bytesRead);
    counted.out = Math.max(counted.out, bytesWritten);
  }
}

function emptyTally(): Record<TrafficKind, number> {
  return { chunk: 0, file: 0, zip: 0, preview: 0, other: 0 };
}
