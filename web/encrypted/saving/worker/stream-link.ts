import type { PageMessage, PingAnswer } from '../sinks/stream-messages.ts';

const SCRIPT = '/e/save/worker.js';
const SCOPE = '/e/save/';
/** Firefox ends an idle service worker after 30 seconds, and then calls the download complete. */
const PING_MS = 10_000;
const ANSWER_MS = 15_000;

export type StreamLink = {
  /** For the sink that sends the bytes. */
  port: MessagePort;
  /** Makes the browser request the download. */
  begin(): void;
  close(): void;
};

/** Offers a download to the service worker and keeps it awake. `onEnded`: it forgot the download, or died. */
export async function openStreamLink(
  name: string,
  sizeBytes: number,
  onEnded: () => void,
): Promise<StreamLink> {
  const worker = await findWorker();
  const id = crypto.randomUUID();
  const { port1, port2 } = new MessageChannel();
  send(worker, { kind: 'offer', id, name, sizeBytes }, port2);
  const frame = document.createElement('iframe');
  frame.hidden = true;
  frame.title = name;
  const timer = setInterval(async () => {
    const registration = await navigator.serviceWorker.getRegistration(SCOPE);
    const isAlive = registration?.active ? await ping(registration.active, id) : false;
    if (!isAlive) end();
  }, PING_MS);
  const end = () => {
    clearInterval(timer);
    onEnded();
  };
  return {
    port: port1,
    begin: () => {
      frame.src = SCOPE + id;
      // A download shows no document. A loaded one is the server's answer: there was no worker.
      frame.addEventListener('load', () => {
        if (frame.contentWindow?.location.href !== 'about:blank') end();
      });
      document.body.append(frame);
    },
    close: () => {
      clearInterval(timer);
      frame.remove();
    },
  };
}

async function findWorker(): Promise<ServiceWorker> {
  const registration = await navigator.serviceWorker.register(SCRIPT, { scope: SCOPE });
  // One from before an update of the server may not understand this page.
  await registration.update().catch(() => undefined);
  const worker = registration.installing ?? registration.waiting ?? registration.active;
  if (!worker) throw new Error('The service worker did not start.');
  if (worker.state === 'activated') return worker;
  return new Promise((resolve, reject) => {
    worker.addEventListener('statechange', () => {
      if (worker.state === 'activated') resolve(worker);
      if (worker.state === 'redundant') reject(new Error('The service worker did not start.'));
    });
  });
}

function ping(worker: ServiceWorker, id: string): Promise<boolean> {
  const { port1, port2 } = new MessageChannel();
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(false), ANSWER_MS);
    port1.onmessage = ({ data }: MessageEvent<PingAnswer>) => {
      clearTimeout(timer);
      port1.close();
      resolve(data.isAlive);
    };
    send(worker, { kind: 'ping', id }, port2);
  });
}

function send(worker: ServiceWorker, message: PageMessage, port: MessagePort): void {
  worker.postMessage(message, [port]);
}
