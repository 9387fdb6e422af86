import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import type { TestContext } from 'node:test';

const HEADER_BYTES = 12;
const TXT = 16;
const NXDOMAIN = 3;
const SERVFAIL = 2;

/** A name server with TXT records. */
export type DnsServer = {
  /** For OIDC_DNS_SERVERS. */
  address: string;
  records: Map<string, string>;
  /** Answers SERVFAIL. */
  isDown: boolean;
};

export async function startDnsServer(t: TestContext): Promise<DnsServer> {
  const socket = createSocket('udp4');
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  t.after(() => socket.close());
  const server: DnsServer = {
    address: `127.0.0.1:${socket.address().port}`,
    records: new Map(),
    isDown: false,
  };
  socket.on('message', (query, from) => socket.send(answer(server, query), from.port, from.address));
  return server;
}

/** RFC 1035: the header, the question, and one record that points to the question's name. */
function answer({ records, isDown }: DnsServer, query: Buffer): Buffer {
  const { name, end } = readName(query);
  const text = records.get(name.toLowerCase());
  const header = Buffer.from(query.subarray(0, HEADER_BYTES));
  const code = isDown ? SERVFAIL : text === undefined ? NXDOMAIN : 0;
  header.writeUInt16BE(0x8180 | code, 2);
  header.writeUInt16BE(code === 0 ? 1 : 0, 6);
  header.writeUInt32BE(0, 8);
  const question = query.subarray(HEADER_BYTES, end + 4);
  if (code !== 0) return Buffer.concat([header, question]);
  const data = Buffer.concat([Buffer.from([Buffer.byteLength(text!)]), Buffer.from(text!)]);
  const record = Buffer.alloc(HEADER_BYTES);
  record.writeUInt16BE(0xc00c, 0);
  record.writeUInt16BE(TXT, 2);
  record.writeUInt16BE(1, 4);
  record.writeUInt16BE(data.length, 10);
  return Buffer.concat([header, question, record, data]);
}

function readName(query: Buffer): { name: string; end: number } {
  const labels: string[] = [];
  let at = HEADER_BYTES;
  for (let length = query[at]!; length > 0; length = query[at]!) {
    labels.push(query.toString('ascii', at + 1, at + 1 + length));
    at += length + 1;
  }
  return { name: labels.join('.'), end: at + 1 };
}
