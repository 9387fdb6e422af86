import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { Traffic, type TrafficKind } from './traffic.ts';

const ANSWER_SECONDS = [0.005, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
const JOB_SECONDS = [0.01, 0.1, 1, 10, 60, 600, 3600];
const SLOW_STATEMENT_SECONDS = [0.1, 0.25, 1, 5, 30];
const CHUNK_SECONDS = [0.001, 0.005, 0.025, 0.1, 0.5, 2.5, 10, 30, 120];
const STORAGE_SECONDS = [0.001, 0.005, 0.02, 0.1, 0.5, 2, 10, 30];

/** `client`: waiting for bytes. `lease`: waiting for other writers. `storage`: disk or S3. */
const CHUNK_PHASES = ['client', 'lease', 'storage', 'database'] as const;
export type ChunkPhase = (typeof CHUNK_PHASES)[number];

export type S3Outcome = 'ok' | 'refused' | 'failed' | 'aborted';

export type ServedRequest = {
  method: string;
  /** The URL's pattern, or 'unknown'. */
  route: string;
  status: number;
  firstByteSeconds: number | undefined;
  wholeSeconds: number;
  /** For file contents, whose duration depends on their size. */
  movesBytes: boolean;
};

/**
 * Labels come from this code (patterns, kinds, jobs, error codes), never from ids, addresses or tokens, so
 * their number is bounded.
 */
export class Metrics {
  readonly registry = new Registry();
  readonly traffic = new Traffic();
  readonly #requests = this.#counter('http_requests_total', 'Requests answered or broken off', [
    'method',
    'route',
    'status',
  ]);
  readonly #firstByte = this.#histogram(
    'http_first_byte_seconds',
    'From the request’s head to the answer’s',
    ['method', 'route'],
  );
  readonly #whole = this.#histogram('http_request_seconds', 'Whole requests, without those that move files', [
    'method',
    'route',
  ]);
  readonly #refusals = this.#counter('refusals_total', 'Refused requests by the error’s code', ['code']);
  readonly #jobs = new Histogram({
    name: 'sendwell_job_seconds',
    help: 'Runs of jobs by name and outcome',
    labelNames: ['job', 'outcome'],
    buckets: JOB_SECONDS,
    registers: [this.registry],
  });
  readonly #slowStatements = new Histogram({
    name: 'sendwell_slow_statement_seconds',
    help: 'Database statements that took longer than 50 ms, by the function that ran them',
    labelNames: ['statement'],
    buckets: SLOW_STATEMENT_SECONDS,
    registers: [this.registry],
  });
  readonly #scrubbedBytes = this.#counter('scrubbed_bytes_total', 'Stored bytes read again and compared', []);
  readonly #chunkPhases = new Histogram({
    name: 'sendwell_chunk_phase_seconds',
    help: 'Where the time of received chunks went: client, lease, storage, database',
    labelNames: ['phase'],
    buckets: CHUNK_SECONDS,
    registers: [this.registry],
  });
  readonly #diskSyncs = new Histogram({
    name: 'sendwell_disk_sync_seconds',
    help: 'Calls of fdatasync and fsync on stored files and their folders',
    labelNames: ['target'],
    buckets: STORAGE_SECONDS,
    registers: [this.registry],
  });
  readonly #s3Requests = new Histogram({
    name: 'sendwell_s3_request_seconds',
    help: 'Requests to S3 until the answer’s head, each try on its own; outcome: ok, refused (4xx), failed, aborted',
    labelNames: ['operation', 'outcome'],
    buckets: STORAGE_SECONDS,
    registers: [this.registry],
  });
  #hasProcessMetrics = false;

  constructor() {
    const { traffic } = this;
    this.#byKind('bytes_in_total', 'Bytes received, heads of requests included', 'counter', () => {
      traffic.catchUp();
      return traffic.bytesIn;
    });
    this.#byKind('bytes_out_total', 'Bytes sent, heads of answers included', 'counter', () => {
      traffic.catchUp();
      return traffic.bytesOut;
    });
    this.#byKind('running_requests', 'Requests under way', 'gauge', () => traffic.countRunning());
  }

  countRequest({ method, route, status, firstByteSeconds, wholeSeconds, movesBytes }: ServedRequest): void {
    this.#requests.inc({ method, route, status: `${Math.floor(status / 100)}xx` });
    if (firstByteSeconds !== undefined) this.#firstByte.observe({ method, route }, firstByteSeconds);
    if (!movesBytes) this.#whole.observe({ method, route }, wholeSeconds);
  }

  countRefusal(code: string): void {
    this.#refusals.inc({ code });
  }

  countJob(job: string, outcome: 'done' | 'failed', seconds: number): void {
    this.#jobs.observe({ job, outcome }, seconds);
  }

  countSlowStatement(statement: string, seconds: number): void {
    this.#slowStatements.observe({ statement }, seconds);
  }

  countScrubbed(bytes: number): void {
    this.#scrubbedBytes.inc(bytes);
  }

  countChunk(milliseconds: Record<ChunkPhase, number>): void {
    for (const phase of CHUNK_PHASES) this.#chunkPhases.observe({ phase }, milliseconds[phase] / 1000);
  }

  countDiskSync(target: 'file' | 'folder', seconds: number): void {
    this.#diskSyncs.observe({ target }, seconds);
  }

  /** `operation` is S3's name, such as `UploadPart`. */
  countS3Request(operation: string, outcome: S3Outcome, seconds: number): void {
    this.#s3Requests.observe({ operation, outcome }, seconds);
  }

  /**
   * Read when metrics are scraped. Values that all processes share (rows, disks) are reported once
   * (`shared`), others as a sum.
   */
  addGauge(gauge: {
    name: string;
    help: string;
    labels?: string[];
    isShared?: boolean;
    refresh?(): Promise<void>;
    read(): { labels?: Record<string, string>; value: number }[];
  }): void {
    const { name, help, labels = [], isShared = false, refresh, read } = gauge;
    new Gauge({
      name: `sendwell_${name}`,
      help,
      labelNames: labels,
      registers: [this.registry],
      aggregator: isShared ? 'max' : 'sum',
      async collect() {
        await refresh?.();
        this.reset();
        for (const { labels: values = {}, value } of read()) this.set(values, value);
      },
    });
  }

  /** Measures from the first call on. */
  addProcessMetrics(): void {
    if (this.#hasProcessMetrics) return;
    this.#hasProcessMetrics = true;
    collectDefaultMetrics({ register: this.registry });
  }

  #counter(name: string, help: string, labelNames: string[]): Counter {
    return new Counter({ name: `sendwell_${name}`, help, labelNames, registers: [this.registry] });
  }

  #histogram(name: string, help: string, labelNames: string[]): Histogram {
    const buckets = ANSWER_SECONDS;
    return new Histogram({ name: `sendwell_${name}`, help, labelNames, buckets, registers: [this.registry] });
  }

  #byKind(
    name: string,
    help: string,
    type: 'counter' | 'gauge',
    read: () => Record<TrafficKind, number>,
  ): void {
    const labelled = (set: (kind: string, value: number) => void) => {
      for (const [kind, value] of Object.entries(read())) set(kind, value);
    };
    const settings = { name: `sendwell_${name}`, help, labelNames: ['kind'], registers: [this.registry] };
    if (type === 'gauge') {
      new Gauge({
        ...settings,
        collect() {
          labelled((kind, value) => this.set({ kind }, value));
        },
      });
      return;
    }
    new Counter({
      ...settings,
      collect() {
        this.reset();
        labelled((kind, value) => this.inc({ kind }, value));
      },
    });
  }
}
