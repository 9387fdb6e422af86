import { ChevronRight } from 'lucide-react';
import { CopyButton } from '../../components/copy-button.tsx';
import { toast } from '../../components/toast.ts';

/** Broken downloads go on where they stopped; for those who like a terminal, the line that does it. */
export function ResumeHint({ command }: { command: string }) {
  return (
    <details className="group mt-10 text-sm text-ink-faint">
      <summary className="flex w-fit list-none items-start gap-2 rounded-xs py-1 pr-2 transition-colors duration-(--quick) hover:text-ink [&::-webkit-details-marker]:hidden">
        <ChevronRight
          aria-hidden="true"
          className="mt-px -ml-0.5 size-5 shrink-0 transition-[rotate] duration-(--brisk) group-open:rotate-90"
        />
        <span>
          Interrupted? Your browser or <code className="font-mono text-[0.95em]">curl -C -</code> continues
          where it stopped.
        </span>
      </summary>
      <div className="mt-3 flex items-start gap-2 rounded-md border border-line bg-sunken py-2 pr-2 pl-4">
        <pre
          // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard.
          tabIndex={0}
          className="min-w-0 grow overflow-x-auto rounded-xs py-2 font-mono text-xs leading-relaxed text-ink-soft"
        >
          {command}
        </pre>
        <CopyButton
          isIconOnly
          label="Copy command"
          size="sm"
          text={command}
          onCopied={() => toast({ title: 'Copied!' })}
        />
      </div>
    </details>
  );
}
