import { sharePath } from '../../../contracts/links.ts';
import type { ButtonSize, ButtonVariant } from '../../components/button-style.ts';
import { CopyButton } from '../../components/copy-button.tsx';
import { toast } from '../../components/toast.ts';

type CopyLinkButtonProps = {
  token: string;
  label: string;
  variant?: ButtonVariant;
  size?: ButtonSize;
  className?: string;
};

/** The address people are given, at the address this page was opened at. */
export function linkOf(token: string): string {
  return window.location.origin + sharePath(token);
}

export function CopyLinkButton({ token, ...look }: CopyLinkButtonProps) {
  return (
    <CopyButton
      text={linkOf(token)}
      onCopied={() =>
        toast({ title: 'Link copied!', description: 'Share link has been copied to clipboard.' })
      }
      onFailed={() =>
        toast({
          title: 'The browser did not allow copying',
          description: linkOf(token),
          variant: 'destructive',
        })
      }
      {...look}
    />
  );
}
