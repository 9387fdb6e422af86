import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import type { Invitation } from '../../../contracts/transfers/uploads/invitations.ts';
import { invitationPath } from '../../../contracts/values/addresses/links.ts';
import { formatInboxKey } from '../../../encryption/inbox-link.ts';
import type { ButtonVariant } from '../../components/actions/button-style.ts';
import { CopyButton } from '../../components/actions/copy-button.tsx';
import { toast } from '../../components/feedback/toast.ts';
import { KeysLink } from '../../key-ring/missing-key.tsx';
import { useInboxes } from '../../key-ring/use-keys.ts';
import { publicUrl } from '../../lib/browser/public-url.ts';

type Linked = Pick<Invitation, 'id' | 'token' | 'encryption'>;

/** The link for visitors. Undefined if it needs a key that is not in this browser, or not loaded yet. */
export function useInvitationLink({ id, token, encryption }: Linked) {
  const inboxes = useInboxes(encryption !== null);
  const link = publicUrl() + invitationPath(token);
  if (encryption === null) return { link, isLoading: false };
  const inbox = inboxes?.get(id);
  return { link: inbox && `${link}#${formatInboxKey(inbox)}`, isLoading: inboxes === undefined };
}

/** Says why there is no whole link. */
export function MissingInboxKey() {
  return (
    <Trans>
      The key of this invitation is not in this browser, so it cannot show the link. Copy it in the browser
      that created the invitation, or <KeysLink>import its keys</KeysLink>.
    </Trans>
  );
}

type CopyInvitationButtonProps = {
  link: string;
  variant?: ButtonVariant;
  'data-initial-focus'?: boolean;
  className?: string;
};

export function CopyInvitationButton({ link, ...look }: CopyInvitationButtonProps) {
  return (
    <CopyButton
      text={link}
      label={t`Copy Link`}
      {...look}
      onCopied={() => toast({ title: t`Copied!`, description: t`Invitation link copied to clipboard` })}
      onFailed={() =>
        toast({ title: t`The browser did not allow copying`, description: link, variant: 'destructive' })
      }
    />
  );
}
