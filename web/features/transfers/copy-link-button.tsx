import { shareLink } from '../../../contracts/values/links.ts';
import type { ButtonSize, ButtonVariant } from '../../components/button-style.ts';
import { CopyButton } from '../../components/copy-button.tsx';
import { toast } from '../../components/toast.ts';
import { publicUrl } from '../../lib/public-url.ts';

type CopyLinkButtonProps = {
  token: string;
  label: string;
  variant?: ButtonVariant;
  size?: ButtonSize;
  className?: string;
};

/** The address recipients are given. */
export function linkOf(token: string): string {
  return shareLink(publicUrl(), token);
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
