import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '../calls/client.ts';
import type { ServerProcess } from './server-process.ts';

/**
 * One of several processes that share a database and storage. `connect` opens a connection that this process
 * accepts.
 */
export type Peer = { pid: number; url: string; connect(): Promise<Socket> };

export function machinePeer(server: ServerProcess): Peer {
  return { pid: server.pid, url: server.url, connect: () => openSocket(server.port) };
}

export function workerPeers(server: ServerProcess): Peer[] {
  return listWorkers(server).map((pid) => ({
    pid,
    url: server.url,
    async connect() {
      for (let tries = 0; tries < 1_000; tries += 1) {
        const socket = await openSocket(server.port);
        if ((await ownerOf(socket, listWorkers(server))) === pid) return socket;
        socket.destroy();
        await sleep(10);
      }
      throw new Error(`Worker ${pid} takes no connection`);
    },
  }));
}

export function listWorkers({ pid }: ServerProcess): number[] {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim();
  return children === '' ? [] : children.split(' ').map(Number);
}

export type SlowPost = {
  /** Sends the second half of the body. */
  finish(): void;
  /** The status, or undefined if the connection was cut. */
  status: Promise<number | undefined>;
};

/** Sends the first half of a chunk through one process. */
export async function postSlowly(
  peer: Peer,
  client: Client,
  chunk: { uploadId: string; index: number; bytes: Buffer },
): Promise<SlowPost> {
  const { bytes } = chunk;
  const { sent, status } = await beginPost(peer, client, chunk);
  const half = Math.floor(bytes.length / 2);
  sent.write(bytes.subarray(0, half));
  return { finish: () => void sent.end(bytes.subarray(half)), status };
}

/** Sends a chunk through one process. Returns the status, or undefined if the connection was cut. */
export async function postThrough(
  peer: Peer,
  client: Client,
  chunk: { uploadId: string; index: number; bytes: Buffer },
): Promise<number | undefined> {
  const { sent, status } = await beginPost(peer, client, chunk);
  sent.end(chunk.bytes);
  return status;
}

async function beginPost(
  peer: Peer,
  client: Client,
  { uploadId, index, bytes }: { uploadId: string; index: number; bytes: Buffer },
): Promise<{ sent: ClientRequest; status: Promise<number | undefined> }> {
  const path = `/api/upload/chunk/${uploadId}/${index}`;
  const headers = {
    'content-type': 'application/octet-stream',
    'content-length': bytes.length,
    cookie: client.jar.headerFor(path),
  };
  const sent = await openRequest(peer, { path, method: 'POST', headers });
  const status = new Promise<number | undefined>((resolve) => {
    sent.once('response', (response) => {
      response.resume();
      resolve(response.statusCode);
    });
    sent.once('close', () => resolve(undefined)).on('error', () => resolve(undefined));
  });
  return { sent, status };
}

export async function completeThrough(
  peer: Peer,
  client: Client,
  uploadId: string,
): Promise<{ status: number; token: string }> {
  const path = `/api/upload/complete/${uploadId}`;
  const headers = { 'content-type': 'application/json', cookie: client.jar.headerFor(path) };
  const sent = await openRequest(peer, { path, method: 'POST', headers });
  const answered = new Promise<IncomingMessage>((resolve, reject) => {
    sent.once('response', resolve).once('error', reject);
  });
  sent.end('{}');
  const response = await answered;
  const text = Buffer.concat(await response.toArray()).toString();
  return { status: response.statusCode!, token: text.startsWith('{') ? JSON.parse(text).token : '' };
}

/** Sends a GET through one process and returns the response with an unread body. */
export async function getThrough(
  peer: Peer,
  client: Client,
  path: string,
  headers: Record<string, string> = {},
): Promise<IncomingMessage> {
  const cookie = client.jar.headerFor(path);
  const sent = await openRequest(peer, {
    path,
    method: 'GET',
    headers: { ...(cookie && { cookie }), ...headers },
  });
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    sent.once('response', resolve).once('error', reject).end();
  });
  client.jar.keep(response.headers['set-cookie'] ?? [], path);
  return response;
}

async function openRequest(
  peer: Peer,
  options: { path: string; method: string; headers: Record<string, string | number> },
): Promise<ClientRequest> {
  const socket = await peer.connect();
  return request({ ...options, host: '127.0.0.1', createConnection: () => socket });
}

async function openSocket(port: number): Promise<Socket> {
  const socket = connect({ port, host: '127.0.0.1' });
  await new Promise<void>((resolve, reject) => socket.once('connect', resolve).once('error', reject));
  return socket.on('error', () => {});
}

/** Finds which of these processes accepted the connection. */
async function ownerOf(socket: Socket, pids: number[]): Promise<number | undefined> {
  // Longer and longer, because the table is expensive to read and a stopped process never accepts.
  for (let waitMs = 5; waitMs < 1_000; waitMs *= 2) {
    const inode = findInode(socket.remotePort!, socket.localPort!);
    const owner = pids.find((pid) => inode !== undefined && hasSocket(pid, inode));
    if (owner !== undefined) return owner;
    await sleep(waitMs);
  }
  return undefined;
}

/** The inode of the accepted end of a connection, from the kernel's table. */
function findInode(serverPort: number, clientPort: number): string | undefined {
  const hex = (port: number) => port.toString(16).toUpperCase().padStart(4, '0');
  for (const line of readFileSync('/proc/net/tcp', 'utf8').split('\n')) {
    const [, local = '', remote = '', , , , , , , inode] = line.trim().split(/\s+/);
    if (local.endsWith(`:${hex(serverPort)}`) && remote.endsWith(`:${hex(clientPort)}`)) return inode;
  }
  return undefined;
}

function hasSocket(pid: number, inode: string): boolean {
  try {
    return readdirSync(`/proc/${pid}/fd`).some((fd) => {
      try {
        return readlinkSync(`/proc/${pid}/fd/${fd}`) === `socket:[${inode}]`;
      } catch {
        return false;
      }
    });
  } catch {
    return false;
  }
}
