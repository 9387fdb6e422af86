import type { Command } from './command.ts';
import { listCommand } from './list.ts';
import { loginCommand } from './login.ts';
import { receiveCommand } from './receive/receive-command.ts';
import { verifyCommand } from './receive/verify.ts';
import { resumeCommand } from './resume.ts';
import { sendCommand } from './send/send-command.ts';

export const commands: Record<string, Command> = {
  send: sendCommand,
  receive: receiveCommand,
  resume: resumeCommand,
  list: listCommand,
  verify: verifyCommand,
  login: loginCommand,
};
