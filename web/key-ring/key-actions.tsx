import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Mail } from 'lucide-react';
import { buttonClasses } from '../components/actions/button-style.ts';
import { CopyButton } from '../components/actions/copy-button.tsx';
import { toast } from '../components/feedback/toast.ts';
import { mailtoWithLink } from './key-link.ts';

type KeyActionsProps = {
  /** With the key. */
  link: string;
  keyText: string;
  /** Who has been sent an email without the key. */
  recipients: readonly string[];
};

/** Ways to pass the key on past the server, which emails recipients a link without it. */
export function KeyActions({ link, keyText, recipients }: KeyActionsProps) {
  const mail = mailtoWithLink(recipients, {
    subject: t`Files for you`,
    body: `${t`Open this link to get the files. It contains the key:`}\n\n${link}\n`,
  });
  return (
    <div className="flex flex-wrap gap-2">
      <CopyButton
        text={keyText}
        label={t`Copy key`}
        size="sm"
        onCopied={() => toast({ title: t`Key copied!` })}
        onFailed={() =>
          toast({ title: t`The browser did not allow copying`, description: keyText, variant: 'destructive' })
        }
      />
      <a href={mail} className={buttonClasses('secondary', 'sm')}>
        <Mail aria-hidden="true" />
        <Trans>Write an email yourself</Trans>
      </a>
    </div>
  );
}
