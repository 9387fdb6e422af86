import { Check, Copy } from 'lucide-react';
import { useEffect, useState } from 'react';
import { Button } from './button.tsx';
import type { ButtonSize, ButtonVariant } from './button-style.ts';
import { IconButton } from './icon-button.tsx';

type CopyButtonProps = {
  text: string;
  /** The accessible name if `isIconOnly`. */
  label: string;
  isIconOnly?: boolean;
  variant?: ButtonVariant;
  size?: ButtonSize;
  onCopied?: () => void;
  /** Called if the browser denies access to the clipboard. */
  onFailed?: () => void;
  /** Focused first in a dialog. */
  'data-initial-focus'?: boolean;
  className?: string;
};

const CONFIRMATION_MS = 2000;

/** The icon becomes a tick for two seconds. */
export function CopyButton({ text, label, isIconOnly, onCopied, onFailed, ...look }: CopyButtonProps) {
  const [isCopied, setCopied] = useState(false);
  useEffect(() => {
    if (!isCopied) return;
    const timer = setTimeout(() => setCopied(false), CONFIRMATION_MS);
    return () => clearTimeout(timer);
  }, [isCopied]);
  const copy = async () => {
    try {
      await writeClipboard(text);
      setCopied(true);
      onCopied?.();
    } catch {
      onFailed?.();
    }
  };
  const icon = isCopied ? <Check className="text-current" /> : <Copy />;
  if (isIconOnly) return <IconButton label={label} icon={icon} onClick={copy} {...look} />;
  return (
    <Button variant="secondary" {...look} icon={icon} onClick={copy}>
      {label}
    </Button>
  );
}

/** Throws if the browser denies access. Pages on plain http have no clipboard object, hence the fallback. */
async function writeClipboard(text: string): Promise<void> {
  if (navigator.clipboard) return navigator.clipboard.writeText(text);
  const area = document.createElement('textarea');
  area.value = text;
  // Inside an open dialog, because its focus trap would take the focus back.
  const host = document.activeElement?.closest('[role="dialog"]') ?? document.body;
  host.append(area);
  area.select();
  const isCopied = document.execCommand('copy');
  area.remove();
  if (!isCopied) throw new Error('The browser refused to copy.');
}
