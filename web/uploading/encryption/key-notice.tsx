import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { KeyRound } from 'lucide-react';
import { CopyButton } from '../../components/actions/copy-button.tsx';
import { toast } from '../../components/feedback/toast.ts';
import { Surface } from '../../components/layout/surface.tsx';
import type { EncryptedLink } from '../engine/engine-state.ts';

/** The link with its key, as soon as an encrypted upload begins. */
export function KeyNotice({ link: { url } }: { link: EncryptedLink }) {
  return (
    <Surface as="section" aria-labelledby="key-notice" data-testid="key-notice">
      <h2 id="key-notice" className="flex items-center gap-2 text-base">
        <KeyRound aria-hidden="true" className="size-5 shrink-0 text-accent-ink" />
        <Trans>Nobody can restore this key. Keep the link.</Trans>
      </h2>
      <div className="mt-3 flex flex-col gap-3 sm:flex-row sm:items-center">
        <p className="min-w-0 grow font-mono text-sm break-all text-ink-soft select-all">{url}</p>
        <CopyButton
          text={url}
          label={t`Copy Link`}
          size="sm"
          className="shrink-0"
          onCopied={() => toast({ title: t`Link copied!` })}
          onFailed={() =>
            toast({ title: t`The browser did not allow copying`, description: url, variant: 'destructive' })
          }
        />
      </div>
      <p className="mt-3 text-sm text-ink-soft">
        <Trans>It works when you have pressed Upload and all files have arrived.</Trans>
      </p>
    </Surface>
  );
}
