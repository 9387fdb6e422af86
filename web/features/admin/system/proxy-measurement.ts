import { type RequestSeen, seeRequest, swallowBody } from '../../../../contracts/admin/system.ts';
import { CHUNK_BYTES } from '../../../../contracts/plans/limits.ts';
import { MIB } from '../../../../contracts/values/sizes.ts';
import { call } from '../../../api/call.ts';

/** The first is below proxies' default limits (nginx: 1 MB), the second is the size of an upload chunk. */
const BODY_SIZES = [MIB / 2, CHUNK_BYTES, 16 * MIB, 64 * MIB];

/** The outcome of one upload; durations in milliseconds as measured by the browser and by the server. */
export type MeasuredUpload = {
  sentBytes: number;
  browserMs: number;
} & ({ arrivedBytes: number; serverMs: number } | { status: number });

/** The request as the browser sent it. */
export type BrowserSide = {
  origin: string;
  protocol: string;
  host: string;
  sentAt: number;
  receivedAt: number;
};

type Measurement = { seen: RequestSeen; browser: BrowserSide; uploads: MeasuredUpload[] };

/** Uploads bodies of growing size until one is refused. `onProgress` gets a share from 0 to 1. */
export async function measureProxy({
  onProgress,
}: {
  onProgress: (share: number) => void;
}): Promise<Measurement> {
  const { origin, protocol, host } = window.location;
  const sentAt = Date.now();
  const seen = await call(seeRequest);
  const browser = { origin, protocol: protocol.slice(0, -1), host, sentAt, receivedAt: Date.now() };
  const total = BODY_SIZES.reduce((sum, size) => sum + size, 0);
  const uploads: MeasuredUpload[] = [];
  let before = 0;
  for (const size of BODY_SIZES) {
    const base = before;
    const upload = await sendBody(size, (sent) => onProgress((base + sent) / total));
    uploads.push(upload);
    before += size;
    if ('status' in upload) break;
  }
  return { seen, browser, uploads };
}

/** Uses XMLHttpRequest for its upload progress. The status is 0 if the connection broke. */
function sendBody(sentBytes: number, onProgress: (sent: number) => void): Promise<MeasuredUpload> {
  return new Promise((resolve) => {
    const request = new XMLHttpRequest();
    const startedAt = performance.now();
    request.upload.onprogress = ({ loaded }) => onProgress(loaded);
    request.onloadend = () => {
      const browserMs = Math.round(performance.now() - startedAt);
      const answer = request.status === 200 ? readAnswer(request.responseText) : undefined;
      if (answer)
        resolve({ sentBytes, browserMs, arrivedBytes: answer.bytes, serverMs: answer.milliseconds });
      else resolve({ sentBytes, browserMs, status: request.status });
    };
    request.open(swallowBody.method, swallowBody.path);
    request.setRequestHeader('content-type', 'application/octet-stream');
    request.setRequestHeader('accept', 'application/json');
    request.send(new Blob([new Uint8Array(sentBytes)]));
  });
}

/** A proxy may answer 200 with its own HTML page. */
function readAnswer(text: string): { bytes: number; milliseconds: number } | undefined {
  try {
    const answer = JSON.parse(text);
    return typeof answer.bytes === 'number' && typeof answer.milliseconds === 'number' ? answer : undefined;
  } catch {
    return undefined;
  }
}
