import { createHash } from 'node:crypto';
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  request as openRequest,
  type RequestOptions,
  type ServerResponse,
} from 'node:http';

export type Fault =
  /** Responds with this status and an S3 error without forwarding. S3 may report an error with status 200. */
  | { kind: 'answer'; status: number; code: string }
  /** Cuts the connection in the middle of the request body. */
  | { kind: 'cut-request' }
  /** Forwards the request, then cuts the connection instead of responding. */
  | { kind: 'lose-answer' }
  /** Cuts the connection after this many bytes of the response body. */
  | { kind: 'cut-answer'; afterBytes: number }
  | { kind: 'silence' }
  /** Forwards the request and inserts a script that runs first in the page, if the response is one. */
  | { kind: 'insert-script'; script: string };

export type SeenRequest = { method: string; url: string; range: string | undefined };

export type FaultProxy = {
  endpoint: string;
  /** Chooses the fault for each request. Undefined forwards it unchanged. */
  decide: (request: SeenRequest) => Fault | undefined;
  /** Cuts all connections whenever this many body bytes in total have been forwarded to the server. Ascending. */
  cutAt: number[];
  seen: SeenRequest[];
  /** Gets all bytes of request bodies as they arrive. `seen` is the same object as in `seen`. */
  onBody: (seen: SeenRequest, bytes: Buffer) => void;
  stop(): Promise<void>;
};

/** Starts a loopback proxy for an HTTP server that injects faults. It keeps the Host header, which S3 signs. */
export async function startFaultProxy(target: string): Promise<FaultProxy> {
  let passedBytes = 0;
  const server = createServer((request, response) => {
    const { method = '', url = '', headers } = request;
    const seen = { method, url, range: headers.range };
    proxy.seen.push(seen);
    request.on('data', (bytes: Buffer) => {
      proxy.onBody(seen, bytes);
      passedBytes += bytes.length;
      if (passedBytes < (proxy.cutAt[0] ?? Number.POSITIVE_INFINITY)) return;
      proxy.cutAt.shift();
      server.closeAllConnections();
    });
    play(proxy.decide(seen), { request, response, target: new URL(target) });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  const stop = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  const proxy: FaultProxy = {
    endpoint: `http://127.0.0.1:${port}`,
    decide: () => undefined,
    cutAt: [],
    seen: [],
    onBody: () => {},
    stop,
  };
  return proxy;
}

type Exchange = { request: IncomingMessage; response: ServerResponse; target: URL };

function play(fault: Fault | undefined, exchange: Exchange): void {
  const { request, response } = exchange;
  request.on('error', () => {});
  if (fault?.kind === 'answer') {
    request.resume().on('end', () => {
      response.writeHead(fault.status, { 'content-type': 'application/xml' });
      response.end(`<?xml version="1.0"?><Error><Code>${fault.code}</Code><Message>played</Message></Error>`);
    });
  } else if (fault?.kind === 'cut-request') {
    request.once('data', () => request.socket.destroy()).once('end', () => request.socket.destroy());
  } else if (fault?.kind === 'silence') {
    request.resume();
  } else {
    forward(exchange, fault);
  }
}

function forward({ request, response, target }: Exchange, fault: Fault | undefined): void {
  const { method, url } = request;
  const headers = fault?.kind === 'insert-script' ? unchangedAndPlain(request.headers) : request.headers;
  const options: RequestOptions = { host: target.hostname, port: target.port, method, path: url, headers };
  const onward = openRequest({ ...options, agent: false }, (answer) => {
    if (fault?.kind === 'lose-answer') {
      answer.resume().on('end', () => request.socket.destroy());
      return;
    }
    if (fault?.kind === 'insert-script' && answer.headers['content-type']?.startsWith('text/html')) {
      insertScript(answer, response, fault.script).catch(() => request.socket.destroy());
      return;
    }
    response.writeHead(answer.statusCode ?? 502, answer.headers);
    // Swift sends an empty chunk after the headers of a 404 to HEAD, which would be a parse error for the client.
    if (method === 'HEAD') response.end();
    else if (fault?.kind === 'cut-answer') cutAfter(answer, response, fault.afterBytes);
    else answer.pipe(response);
  });
  onward.on('error', () => {
    if (!response.headersSent) request.socket.destroy();
  });
  response.on('close', () => onward.destroy());
  request.pipe(onward);
}

function cutAfter(answer: IncomingMessage, response: ServerResponse, afterBytes: number): void {
  let left = afterBytes;
  response.flushHeaders();
  answer.on('error', () => {});
  answer.on('data', (bytes: Buffer) => {
    const passed = bytes.subarray(0, left);
    left -= passed.length;
    // Cuts only after the previous bytes have left this process.
    response.write(passed, () => {
      if (left === 0) response.socket?.destroy();
    });
  });
}

/** Asks for the whole page, neither compressed nor compared with a cached one. */
function unchangedAndPlain(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  const { 'if-none-match': _, ...others } = headers;
  return { ...others, 'accept-encoding': 'identity' };
}

/** The policy of the page allows the script by its hash. */
async function insertScript(
  answer: IncomingMessage,
  response: ServerResponse,
  script: string,
): Promise<void> {
  const page = Buffer.concat(await answer.toArray()).toString();
  const body = Buffer.from(page.replace('<head>', () => `<head><script>${script}</script>`));
  const hash = createHash('sha256').update(script).digest('base64');
  const policy = String(answer.headers['content-security-policy'] ?? '');
  response.writeHead(answer.statusCode ?? 502, {
    ...answer.headers,
    'content-length': body.length,
    'content-security-policy': policy.replace('script-src', `script-src 'sha256-${hash}'`),
  });
  response.end(body);
}
