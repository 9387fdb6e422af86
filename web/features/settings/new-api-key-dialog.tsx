import type { ApiKey } from '../../../contracts/accounts/api-keys.ts';
import { Button } from '../../components/button.tsx';
import { CopyButton } from '../../components/copy-button.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { toast } from '../../components/toast.ts';
import { publicUrl } from '../../lib/public-url.ts';

export type NewApiKey = ApiKey & { key: string };

/** The only time a key can be seen; it stays until one says that one has it. */
export function NewApiKeyDialog({ apiKey, onClose }: { apiKey: NewApiKey; onClose: () => void }) {
  return (
    <Dialog
      isOpen
      onOpenChange={onClose}
      isDismissible={false}
      title="Your new API key"
      description="Copy it now: only its beginning is kept where you can see it. Whoever has it can act in your name."
      footer={<Button onClick={onClose}>I have copied it</Button>}
    >
      <div className="flex flex-col gap-6">
        <Copyable label="Key" action="Copy Key" text={apiKey.key} />
        <Copyable label="Try it" action="Copy Line" text={exampleOf(apiKey)} />
      </div>
    </Dialog>
  );
}

/** A line for the terminal that does something with just this key. */
function exampleOf({ key, scopes }: NewApiKey): string {
  const asOwner = `-H "Authorization: Bearer ${key}"`;
  const origin = publicUrl();
  return scopes.includes('write')
    ? `curl -T report.pdf ${asOwner} ${origin}/api/files/`
    : `curl ${asOwner} ${origin}/api/transfers`;
}

function Copyable({ label, action, text }: { label: string; action: string; text: string }) {
  return (
    <div>
      <div className="flex items-center justify-between gap-4">
        <p className="text-sm font-medium">{label}</p>
        <CopyButton text={text} label={action} size="sm" onCopied={tellCopied} onFailed={tellFailed} />
      </div>
      <p className="mt-2 rounded-lg bg-sunken px-4 py-3 font-mono text-sm wrap-anywhere select-all">{text}</p>
    </div>
  );
}

function tellCopied(): void {
  toast({ title: 'Copied' });
}

function tellFailed(): void {
  toast({ title: 'Copy failed', description: 'Please select the text and copy it.', variant: 'destructive' });
}
