import { plural, t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { useEffect, useRef } from 'react';
import { PAGES } from '../../../../contracts/values/addresses/pages.ts';
import { Button } from '../../../components/actions/button.tsx';
import { CopyButton } from '../../../components/actions/copy-button.tsx';
import { LinkButton } from '../../../components/actions/link-button.tsx';
import { QrCode } from '../../../components/actions/qr-code.tsx';
import { toast } from '../../../components/feedback/toast.ts';
import { TextArea } from '../../../components/form/text-area.tsx';
import { Surface } from '../../../components/layout/surface.tsx';
import type { SentSecret } from './secret-text-form.tsx';

/** The link of a secret text that was just sent. */
export function SecretLink({ sent, onAgain }: { sent: SentSecret; onAgain: () => void }) {
  const { link, opens, days, hasPassword } = sent;
  const heading = useRef<HTMLHeadingElement>(null);
  // The form that had the focus is gone.
  useEffect(() => heading.current?.focus(), []);
  const count = plural(opens, {
    one: 'The text can be opened once.',
    other: 'The text can be opened # times.',
  });
  const expiry = plural(days, { one: 'It expires in # day.', other: 'It expires in # days.' });
  return (
    <Surface as="section" aria-labelledby="secret-link" padding="lg" className="mt-rhythm max-w-[44rem]">
      <h2 id="secret-link" className="text-2xl outline-none" tabIndex={-1} ref={heading}>
        <Trans>Ready to share</Trans>
      </h2>
      <p className="mt-3 text-ink-soft">
        {count} {expiry} {hasPassword && <Trans>Tell the password in another way than the link.</Trans>}
      </p>
      <div className="mt-6 flex flex-col gap-5">
        <TextArea
          label={t`Share link`}
          readOnly
          rows={2}
          value={link}
          className="[&_textarea]:min-h-0 [&_textarea]:resize-none [&_textarea]:break-all"
          onFocus={({ target }) => target.select()}
          hint={t`Nobody can restore this key. Keep the link. Opening it yourself uses it up once you show the text.`}
        />
        <div className="flex flex-wrap items-center gap-x-5 gap-y-3">
          <QrCode
            text={link}
            label={t`QR code of the share link`}
            className="size-28 shrink-0 max-sm:hidden"
          />
          <CopyButton
            text={link}
            label={t`Copy Link`}
            variant="primary"
            className="min-w-48 max-sm:grow"
            onCopied={() => toast({ title: t`Link copied!` })}
            onFailed={() =>
              toast({
                title: t`The link could not be copied`,
                description: t`Your browser blocked it. Please select the link and copy it manually.`,
                variant: 'destructive',
              })
            }
          />
        </div>
        <hr />
        <div className="flex flex-wrap gap-3">
          <Button variant="secondary" onClick={onAgain}>
            <Trans>Send another text</Trans>
          </Button>
          <LinkButton to={PAGES.dashboard} variant="ghost">
            <Trans>View Transfers</Trans>
          </LinkButton>
        </div>
      </div>
    </Surface>
  );
}
