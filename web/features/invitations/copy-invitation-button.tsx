import { invitationPath } from '../../../contracts/values/links.ts';
import type { ButtonVariant } from '../../components/button-style.ts';
import { CopyButton } from '../../components/copy-button.tsx';
import { toast } from '../../components/toast.ts';
import { publicUrl } from '../../lib/public-url.ts';

/** The address visitors are given. */
export function linkOf(token: string): string {
  return publicUrl() + invitationPath(token);
}

type CopyInvitationButtonProps = { token: string; variant?: ButtonVariant; className?: string };

/** Texts as in specification section 8. */
export function CopyInvitationButton({ token, ...look }: CopyInvitationButtonProps) {
  const link = linkOf(token);
  return (
    <CopyButton
      text={link}
      label="Copy Link"
      {...look}
      onCopied={() => toast({ title: 'Copied!', description: 'Invitation link copied to clipboard' })}
      onFailed={() =>
        toast({ title: 'The browser did not allow copying', description: link, variant: 'destructive' })
      }
    />
  );
}
