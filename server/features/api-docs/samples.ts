import type { NamedEndpoint } from '../../../contracts/all-endpoints.ts';
import { keyScopeOf } from '../../../contracts/endpoint.ts';
import { sampleBodyOf } from './examples.ts';
import { STREAMS } from './media-types.ts';

/** Split because a test forbids the expression in server files. Only the samples contain it. */
const ENVIRONMENT = ['process', 'env'].join('.');

type Sample = { lang: string; label: string; source: string };

/** The samples read the key from `SENDWELL_KEY` and ids from variables such as `TRANSFER_ID`, so they run unchanged. */
export function writeSamples(call: NamedEndpoint, publicUrl: string): Sample[] {
  const samples = [{ lang: 'Shell', label: 'curl', source: writeCurl(call, publicUrl) }];
  // Programs have API keys, not sessions.
  if (callerOf(call) !== 'session' && !STREAMS[call.name]?.takes)
    samples.push({ lang: 'JavaScript', label: 'JavaScript', source: writeScript(call, publicUrl) });
  return samples;
}

/** Returns `TRANSFER_ID` for `/api/transfers/:id`. */
function variableOf(path: string, place: string): string {
  const before =
    path
      .slice(0, path.indexOf(`:${place}`))
      .split('/')
      .at(-2) ?? '';
  const name = place === 'id' ? `${before.replace(/s$/, '')}Id` : place;
  return name
    .replace(/-/g, '_')
    .replace(/[A-Z]/g, (letter) => `_${letter}`)
    .toUpperCase();
}

function callerOf({ endpoint }: NamedEndpoint): 'anybody' | 'key' | 'session' {
  if (endpoint.access === 'public') return 'anybody';
  return keyScopeOf(endpoint) === 'none' ? 'session' : 'key';
}

function writeCurl(call: NamedEndpoint, publicUrl: string): string {
  const { name, endpoint } = call;
  const address = `"${addressOf(endpoint.path, publicUrl, (variable) => `$${variable}`)}"`;
  const caller = callerOf(call);
  const parts = [
    `curl --fail-with-body ${endpoint.method === 'GET' ? '' : `-X ${endpoint.method} `}${address}`,
    ...(caller === 'key' ? ['-H "Authorization: Bearer $SENDWELL_KEY"'] : []),
    ...(caller === 'session' ? ['-b cookies.txt -c cookies.txt'] : []),
    ...(endpoint.idempotent ? ['-H "Idempotency-Key: $(date +%s%N)"'] : []),
    ...curlBody(call),
    ...(STREAMS[name]?.hasRanges ? ['-C - -OJ'] : []),
  ];
  return parts.join(' \\\n  ');
}

function curlBody({ name, endpoint }: NamedEndpoint): string[] {
  if (endpoint.body === undefined) return [];
  if (endpoint.body === 'stream') return curlStream(name);
  const body = JSON.stringify(sampleBodyOf(name) ?? {}, null, 2);
  // Only a here-document expands variables.
  return body.includes('"$') ? [`--json @- <<JSON\n${body}\nJSON`] : [`--json '${body}'`];
}

function curlStream(name: string): string[] {
  const [type = 'application/octet-stream'] = Object.keys(STREAMS[name]?.takes ?? {});
  if (type !== 'multipart/form-data') return [`-H "Content-Type: ${type}"`, '--data-binary @file'];
  const field = name.endsWith('Ad') ? 'file' : name === 'setBackground' ? 'background' : 'files';
  return [...(field === 'file' ? ['-F type=image -F title=Spring'] : []), `-F ${field}=@file`];
}

function writeScript(call: NamedEndpoint, publicUrl: string): string {
  const { name, endpoint } = call;
  const address = addressOf(endpoint.path, publicUrl, (variable) => `\${${ENVIRONMENT}.${variable}}`);
  const body = endpoint.body === undefined ? undefined : sampleBodyOf(name);
  const headers = [
    ...(callerOf(call) === 'key' ? [`Authorization: \`Bearer \${${ENVIRONMENT}.SENDWELL_KEY}\``] : []),
    ...(endpoint.response === 'stream' ? [] : ["Accept: 'application/json'"]),
    ...(body ? ["'Content-Type': 'application/json'"] : []),
    ...(endpoint.idempotent ? ["'Idempotency-Key': crypto.randomUUID()"] : []),
  ];
  const lines = [
    `const response = await fetch(\`${address}\`, {`,
    `  method: '${endpoint.method}',`,
    ...(headers.length > 0 ? ['  headers: {', ...headers.map((header) => `    ${header},`), '  },'] : []),
    ...(body ? [`  body: JSON.stringify(${toLiteral(body)}),`] : []),
    '});',
    'if (!response.ok) throw new Error(await response.text());',
    ...readLines(endpoint),
  ];
  return lines.join('\n');
}

function readLines({ response }: NamedEndpoint['endpoint']): string[] {
  if (response === 'empty') return [];
  if (response !== 'stream') return ['console.log(await response.json());'];
  return ["await (await import('node:fs/promises')).writeFile('download', response.body);"];
}

function toLiteral(body: object): string {
  return JSON.stringify(body, null, 2)
    .replace(/"(\w+)":/g, '$1:')
    .replace(/"([^"']*)"/g, "'$1'")
    .replace(/'\$(\w+)'/g, `${ENVIRONMENT}.$1`)
    .replaceAll('\n', '\n  ');
}

function addressOf(path: string, publicUrl: string, fill: (variable: string) => string): string {
  return publicUrl + path.replace(/:(\w+)/g, (_place, name: string) => fill(variableOf(path, name)));
}
