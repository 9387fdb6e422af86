/// <reference lib="webworker" />
import { contentDisposition } from '../../../contracts/values/names/content-disposition.ts';
import { type Bytes, freeBytes } from '../../../encryption/bytes.ts';
import type {
  FromSaver,
  FromServiceWorker,
  PageMessage,
  PingAnswer,
} from '../saving/sinks/stream-messages.ts';

/**
 * Turns what a page decrypts into a download of the browser, at `/e/save/<id>`. Its scope is `/e/save/`, so it sees no
 * other request. The browser may end it at any time: the page pings it, and a new one doesn't know the download.
 */
const worker = self as unknown as ServiceWorkerGlobalScope;

type Save = { name: string; sizeBytes: number; port: MessagePort };

const offered = new Map<string, Save>();
const running = new Set<string>();

worker.addEventListener('install', (event) => event.waitUntil(worker.skipWaiting()));
worker.addEventListener('activate', (event) => event.waitUntil(worker.clients.claim()));

worker.addEventListener('message', (event) => {
  const [port] = event.ports;
  const message = event.data as PageMessage;
  if (!port) return;
  if (message.kind === 'offer') {
    offered.set(message.id, { ...message, port });
    post(port, { kind: 'ready' });
  } else {
    const isAlive = running.has(message.id) || offered.has(message.id);
    port.postMessage({ isAlive } satisfies PingAnswer);
  }
});

worker.addEventListener('fetch', (event) => {
  const id = new URL(event.request.url).pathname.split('/').at(-1) ?? '';
  const save = offered.get(id);
  if (!save) return;
  offered.delete(id);
  running.add(id);
  event.respondWith(answer(id, save));
});

function answer(id: string, { name, sizeBytes, port }: Save): Response {
  const ahead: Bytes[][] = [];
  let passed: Bytes[] = [];
  let taken: Bytes[] = [];
  let isWaiting = false;
  const passOn = (controller: ReadableStreamDefaultController<Bytes>) => {
    passed = ahead.shift() ?? [];
    isWaiting = passed.length === 0;
    for (const piece of passed) controller.enqueue(piece);
  };
  const body = new ReadableStream<Bytes>(
    {
      start: (controller) => {
        port.onmessage = ({ data }: MessageEvent<FromSaver>) => {
          if (data.kind === 'pieces') {
            ahead.push(data.pieces);
            if (isWaiting) passOn(controller);
            return;
          }
          running.delete(id);
          if (data.kind === 'end') controller.close();
          else controller.error(new Error('The page stopped the download.'));
        };
      },
      pull: (controller) => {
        post(port, { kind: 'pull' });
        taken.forEach(freeBytes);
        // Not freed yet: Chromium asks for more while it still reads the last piece.
        taken = passed;
        passOn(controller);
      },
      cancel: () => {
        running.delete(id);
        post(port, { kind: 'canceled' });
      },
    },
    // A pull then says that everything before was taken.
    { highWaterMark: 0 },
  );
  return new Response(body, {
    headers: {
      'content-type': 'application/octet-stream',
      'content-disposition': contentDisposition(name),
      'content-length': String(sizeBytes),
      'content-security-policy': 'sandbox',
      'x-content-type-options': 'nosniff',
    },
  });
}

function post(port: MessagePort, message: FromServiceWorker): void {
  port.postMessage(message);
}
