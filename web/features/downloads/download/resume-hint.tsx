import { Trans } from '@lingui/react/macro';
import { Disclosure } from '../disclosure.tsx';
import { CommandLine } from './command-line.tsx';

/** Broken downloads go on where they stopped; for those who like a terminal, the line that does it. */
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
