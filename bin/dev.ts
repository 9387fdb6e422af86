/** The server restarting on change, and the pages by Vite with hot reload (http://localhost:5173). */
import { spawn } from 'node:child_process';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');
const children = [
  spawn('node', ['--watch', 'server/main.ts'], { cwd: root, stdio: 'inherit' }),
  spawn('vite', ['web', '--config', 'web/vite.config.ts'], { cwd: root, stdio: 'inherit' }),
];

for (const child of children) child.on('exit', stopAll);
process.on('SIGINT', stopAll);

function stopAll(): void {
  for (const child of children) child.kill('SIGTERM');
}
