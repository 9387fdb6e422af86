import { Trans } from '@lingui/react/macro';
import { Disclosure } from '../disclosure.tsx';
import { CommandLine } from './command-line.tsx';

/** The command that resumes an interrupted download in a terminal. */
export function ResumeHint({ command }: { command: string }) {
  return (
    <Disclosure
      summary={
        <Trans>
          Interrupted? Your browser or{' '}
          <code className="font-mono text-[0.95em] whitespace-nowrap">curl -C -</code> continues where it
          stopped.
        </Trans>
      }
    >
      <CommandLine command={command} />
    </Disclosure>
  );
}
