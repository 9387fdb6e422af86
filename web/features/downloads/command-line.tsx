import { CopyButton } from '../../components/actions/copy-button.tsx';
import { toast } from '../../components/feedback/toast.ts';

/** Something to type in a terminal. */
export function CommandLine({ command }: { command: string }) {
  return (
    <div className="flex items-start gap-2 rounded-md border border-line bg-sunken py-2 pr-2 pl-4">
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
  );
}
