#!/usr/bin/env node
/**
 * Starts the command, which is TypeScript. Node 22.18 and newer run it without a build; an older Node starts the one
 * in node_modules instead.
 */
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import * as module from 'node:module';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

if (process.features.typescript) {
  // Compiling takes longer than the rest of the start. Not in Node's default, /tmp, where others can plant code.
  module.enableCompileCache(join(homedir(), '.cache/sendwell'));
  await import('./main.ts');
} else {
  runWith(fileURLToPath(new URL('../node_modules/.bin/node', import.meta.url)));
}

/** Forwards the terminal, signals and exit code. */
function runWith(node) {
  if (!existsSync(node)) {
    console.error(
      `sendwell needs Node 22.18 or newer; this is ${process.version}. Run \`npm ci\` in the repository to install it.`,
    );
    process.exit(1);
  }
  const self = fileURLToPath(import.meta.url);
  const child = spawn(node, [self, ...process.argv.slice(2)], { stdio: 'inherit' });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  child.on('exit', (code, signal) => {
    process.exitCode = code ?? 1;
    if (signal === 'SIGKILL') process.kill(process.pid, signal);
  });
}
