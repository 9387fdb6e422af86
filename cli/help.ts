import type { Command } from './command.ts';
import type { Option } from './options.ts';

const COLUMN = 30;

export function describeCommands(commands: Record<string, Command>): string {
  const lines = Object.entries(commands).map(([name, { summary }]) => `  ${name.padEnd(10)}${summary}`);
  return `sendwell: send files of any size, and receive them

Usage: sendwell <command> [options]

${lines.join('\n')}

  sendwell <command> --help   what a command takes
  sendwell --version

Exit codes: 0 done · 1 failed, or files differ · 2 wrong command line · 3 key or sign-in ·
            4 refused by a plan, a limit, an expiry or a password · 5 interrupted: \`sendwell resume\` goes on`;
}

export function describeCommand(name: string, { summary, usage, options, notes = [] }: Command): string {
  const lines = Object.entries(options).map(describeOption);
  const paragraphs = [`${summary}.`, `Usage: sendwell ${name} ${usage}`, lines.join('\n'), ...notes];
  return paragraphs.join('\n\n');
}

function describeOption([name, { value, short, help }]: [string, Option]): string {
  const left = `  ${short ? `-${short}, ` : ''}--${name}${value ? ` ${value}` : ''}`;
  return left.length < COLUMN ? left.padEnd(COLUMN) + help : `${left}\n${' '.repeat(COLUMN)}${help}`;
}
