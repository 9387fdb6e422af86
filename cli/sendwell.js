#!/usr/bin/env node
/**
 * The launcher. The command is TypeScript, which Node runs as it stands from version 22.18 on; an older Node hands
 * over to the one that lies beside this repository.
 */
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

if (process.features.typescript) {
  await import('./main.ts');
} else {
  handOver(fileURLToPath(new URL('../node_modules/.bin/node', import.meta.url)));
}

/** Same terminal, same signals, same exit code. */
function handOver(node) {
  if (!existsSync(node)) {
    console.error(
      `sendwell needs Node 22.18 or newer; this is ${process.version}. Run \`npm ci\` in the repository.`,
    );
    process.exit(1);
  }
  const main = fileURLToPath(new URL('./main.ts', import.meta.url));
  const child = spawn(node, [main, ...process.argv.slice(2)], { stdio: 'inherit' });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  child.on('exit', (code, signal) => {
    process.exitCode = code ?? 1;
    if (signal === 'SIGKILL') process.kill(process.pid, signal);
  });
}
