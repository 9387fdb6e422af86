/** The least a Node server can do: PUT a body to a file, GET a file, answer a small JSON. The yardstick. */
import { createReadStream, createWriteStream, mkdirSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';

const [folder = '/tmp', port = '0'] = process.argv.slice(2);
const SMALL = JSON.stringify({
  title: 'Holiday',
  fileCount: 1,
  totalSize: 1_048_576,
  files: [{ id: '1', size: 1_048_576 }],
});

const server = createServer({ requestTimeout: 0 }, async (request, response) => {
  const path = join(folder, request.url!.replaceAll('..', ''));
  try {
    if (request.method === 'PUT') {
      mkdirSync(dirname(path), { recursive: true });
      await pipeline(request, createWriteStream(path));
      response.writeHead(201, { 'content-length': 0 }).end();
    } else if (request.url === '/small') {
      response
        .writeHead(200, { 'content-type': 'application/json', 'content-length': SMALL.length })
        .end(SMALL);
    } else {
      response.writeHead(200, { 'content-length': statSync(path).size });
      await pipeline(createReadStream(path), response);
    }
  } catch {
    if (response.headersSent) response.destroy();
    else response.writeHead(404, { 'content-length': 0 }).end();
  }
});
server.listen(Number(port), '127.0.0.1');
process.on('SIGTERM', () => process.exit(0));
