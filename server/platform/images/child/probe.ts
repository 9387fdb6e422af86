import { readFileSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { renderTestPicture } from './picture.ts';

/**
 * Tests a sandbox: tries what a decoder must not be able to do, then what it must. Arguments: a file outside
 * the sandbox, and the port of a listener on loopback.
 */
const [outside, port] = process.argv.slice(2) as [string, string];

const findings = {
  canReadOutside: succeeds(() => readFileSync(outside)),
  canWrite: succeeds(() => writeFileSync('written', 'x')),
  canConnect: await canConnect(Number(port)),
  canDecode: await renderTestPicture().then(
    () => true,
    () => false,
  ),
};
process.stdout.write(JSON.stringify(findings));

function succeeds(act: () => unknown): boolean {
  try {
    act();
    return true;
  } catch {
    return false;
  }
}

function canConnect(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port });
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });
}
