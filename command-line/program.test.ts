import assert from 'node:assert/strict';
import test from 'node:test';
import { Argument, Option } from 'commander';
import { CommandError, EXIT } from './exit-codes.ts';
import {
  type CommandDefinition,
  describeUsage,
  type ProgramDefinition,
  parseCommandLine,
  wholeNumber,
} from './program.ts';

const program: ProgramDefinition<CommandDefinition> = {
  name: 'post',
  description: 'Sends letters.',
  version: '1.2.3',
  commands: [
    {
      name: 'send',
      summary: 'Send letters',
      arguments: [new Argument('<letters...>', 'The letters')],
      options: [new Option('--days <n>', 'How long').argParser(wholeNumber({ least: 1 }))],
      details: ['Letters keep their order.'],
    },
  ],
  commonOptions: [new Option('--json', 'Print JSON'), new Option('--dry-run', 'Only say what would happen')],
  exitCodes: [EXIT.ok, EXIT.usage],
};

const parse = (...argv: string[]) => parseCommandLine(program, argv);

function print(...argv: string[]): string {
  const parsed = parse(...argv);
  assert.equal(parsed.kind, 'print');
  return parsed.kind === 'print' ? parsed.text : '';
}

test('arguments and options are parsed in any order, with the options of every command', () => {
  const parsed = parse('send', '--dry-run', 'a', '--days=7', 'b', '--', '--c');
  assert.ok(parsed.kind === 'run');
  assert.equal(parsed.command.name, 'send');
  assert.deepEqual([parsed.args, parsed.options], [[['a', 'b', '--c']], { dryRun: true, days: 7 }]);
});

test('invalid command lines are refused with a message and a suggestion', () => {
  for (const [argv, sentence] of [
    [['sned'], "Unknown command 'sned'. Did you mean send?"],
    [['send', 'a', '--dasy', '7'], "Unknown option '--dasy'. Did you mean --days?"],
    [['send'], "Missing required argument 'letters'."],
    [['send', 'a', '--days'], "Option '--days <n>' argument missing."],
    [
      ['send', 'a', '--days', '0'],
      "Option '--days <n>' argument '0' is invalid. It must be a whole number of at least 1.",
    ],
  ] as const)
    assert.throws(
      () => parse(...argv),
      (error) => error instanceof CommandError && error.exitCode === EXIT.usage && error.message === sentence,
      argv.join(' '),
    );
});

test('help lists commands and exit codes, and for one command its arguments and options', () => {
  for (const text of [print(), print('--help'), print('help')])
    assert.match(text, /^Usage: post <command>.*\n {2}send +Send letters.*\n {2}2 {2}wrong arguments/s);
  for (const text of [print('send', '--help'), print('help', 'send')])
    assert.match(text, /^Usage: post send \[options\] <letters\.\.\.>.*Letters keep.*--days <n>.*--json/s);
  assert.equal(print('--version'), '1.2.3\n');
  assert.equal(
    describeUsage(program, 'send'),
    'Usage: post send [options] <letters...>\nMore: post send --help',
  );
});
