/** Receives the bytes in order, like the browser's writable file. */
export type ByteSink = { write: (bytes: Uint8Array<ArrayBuffer>) => Promise<void> };

export type StreamProgress = { receivedBytes: number; totalBytes: number };

type StreamedDownload = {
  path: string;
  sink: ByteSink;
  signal: AbortSignal;
  onProgress: (progress: StreamProgress) => void;
  /** Called before each retry after an interruption. */
  waitToGoOn: (failures: number) => Promise<void>;
};

/** The server refuses these bytes. */
export class DownloadRefused extends Error {
  readonly status: number;

  constructor(status: number) {
    super(`The download was refused with ${status}.`);
    this.name = 'DownloadRefused';
    this.status = status;
  }
}

const PRECONDITION_FAILED = 412;

/**
 * Writes a download to a sink and resumes after an interruption at the byte where it stopped. Conditions and a check of
 * the response make sure that all bytes are of one version. Throws DownloadRefused, the sink's errors, and the
 * signal's reason. Retries lost connections without a limit.
 */
export async function streamDownload(download: StreamedDownload): Promise<void> {
  const { sink, signal, onProgress, waitToGoOn } = download;
  const state = { receivedBytes: 0, totalBytes: 0, etag: '' };
  for (let failures = 0; ; ) {
    const body = await openBody(download, state);
    if (body) {
      for await (const bytes of readUntilBreak(body, signal)) {
        await sink.write(bytes);
        failures = 0;
        state.receivedBytes += bytes.length;
        onProgress({ receivedBytes: state.receivedBytes, totalBytes: state.totalBytes });
      }
      if (state.receivedBytes === state.totalBytes) return;
    }
    signal.throwIfAborted();
    failures += 1;
    await waitToGoOn(failures);
  }
}

type StreamState = { receivedBytes: number; totalBytes: number; etag: string };

/** The bytes from the current position; undefined if it should be retried. Throws DownloadRefused. */
async function openBody({ path, signal }: StreamedDownload, state: StreamState) {
  const { receivedBytes, etag } = state;
  // If the file has changed, If-Range alone would begin a new, counted download.
  const headers =
    receivedBytes > 0 ? { range: `bytes=${receivedBytes}-`, 'if-range': etag, 'if-match': etag } : undefined;
  const response = await fetch(path, {
    signal,
    credentials: 'same-origin',
    cache: 'no-store',
    ...(headers && { headers }),
  }).catch(() => undefined);
  if (!response || response.status >= 500 || response.status === 429) {
    await response?.body?.cancel();
    return undefined;
  }
  if (receivedBytes > 0) {
    // A complete response means that the file has changed.
    if (response.status === 200) throw await refuse(response, PRECONDITION_FAILED);
    if (response.status !== 206) throw await refuse(response, response.status);
    return response.body ?? undefined;
  }
  if (response.status !== 200) throw await refuse(response, response.status);
  state.etag = response.headers.get('etag') ?? '';
  state.totalBytes = Number(response.headers.get('content-length'));
  return response.body ?? undefined;
}

async function refuse(response: Response, status: number): Promise<DownloadRefused> {
  await response.body?.cancel();
  return new DownloadRefused(status);
}

/** Ends with the body or with its connection. */
async function* readUntilBreak(body: ReadableStream<Uint8Array<ArrayBuffer>>, signal: AbortSignal) {
  const reader = body.getReader();
  try {
    while (!signal.aborted) {
      const part = await reader.read().catch(() => undefined);
      if (!part || part.done) return;
      yield part.value;
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

type Pickers = {
  showSaveFilePicker?(options: { suggestedName: string }): Promise<FileSystemFileHandle>;
};

/** Whether pages can write files in this browser (File System Access API). */
export function canStreamToFile(): boolean {
  return 'showSaveFilePicker' in window;
}

/** Asks for a location; undefined if the user cancels. */
export async function pickPlace(suggestedName: string): Promise<FileSystemWritableFileStream | undefined> {
  try {
    const place = await (window as Pickers).showSaveFilePicker?.({ suggestedName });
    return await place?.createWritable();
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') return undefined;
    throw error;
  }
}
