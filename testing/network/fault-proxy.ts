import {
  createServer,
  type IncomingMessage,
  request as openRequest,
  type RequestOptions,
  type ServerResponse,
} from 'node:http';

/** What happens to a request on its way. */
export type Fault =
  /** Answered with this status and an S3 error, unseen by the server behind; 200 is the error in a success. */
  | { kind: 'answer'; status: number; code: string }
  /** The connection is cut in the middle of the request's body. */
  | { kind: 'cut-request' }
  /** The server behind does what was asked; the connection is cut instead of its answer. */
  | { kind: 'lose-answer' }
  /** The connection is cut after this much of the answer's body. */
  | { kind: 'cut-answer'; afterBytes: number }
  /** No answer, and no end of the connection. */
  | { kind: 'silence' };

export type SeenRequest = { method: string; url: string; range: string | undefined };

export type FaultProxy = {
  endpoint: string;
  /** Decides on each request; undefined lets it pass. */
  decide: (request: SeenRequest) => Fault | undefined;
  /** All connections are cut when this many bytes of bodies have passed to the server; ascending. */
  cutAt: number[];
  seen: SeenRequest[];
  stop(): Promise<void>;
};

/** A loopback proxy in front of an HTTP server that injects faults. It keeps the Host header, which S3 signs. */
export async function startFaultProxy(target: string): Promise<FaultProxy> {
  let passedBytes = 0;
  const server = createServer((request, response) => {
    const { method = '', url = '', headers } = request;
    const seen = { method, url, range: headers.range };
    proxy.seen.push(seen);
    request.on('data', (bytes: Buffer) => {
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
  const { method, url, headers } = request;
  const options: RequestOptions = { host: target.hostname, port: target.port, method, path: url, headers };
  const onward = openRequest({ ...options, agent: false }, (answer) => {
    if (fault?.kind === 'lose-answer') {
      answer.resume().on('end', () => request.socket.destroy());
      return;
    }
    response.writeHead(answer.statusCode ?? 502, answer.headers);
    // Swift sends an empty chunk after the headers of a HEAD's 404, which is an error to read on.
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
    // Cut only once the previous bytes have left this process.
    response.write(passed, () => {
      if (left === 0) response.socket?.destroy();
    });
  });
}
