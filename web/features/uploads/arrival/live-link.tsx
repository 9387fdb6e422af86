import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { KeyRound } from 'lucide-react';
import { shareLink } from '../../../../contracts/values/addresses/links.ts';
import { CopyButton } from '../../../components/actions/copy-button.tsx';
import { toast } from '../../../components/feedback/toast.ts';
import { Surface } from '../../../components/layout/surface.tsx';
import { publicUrl } from '../../../lib/browser/public-url.ts';
import type { EncryptedLink } from '../../../uploading/engine/engine-state.ts';
import { Readers } from '../../../uploading/readers.tsx';

type LiveLinkProps = {
  token: string;
  /** Of an encrypted transfer, with its key. */
  link: EncryptedLink | undefined;
  transferId: string;
};

/** The link of a transfer whose files are still being sent, and how far its recipients are. */
export function LiveLink({ token, link: encrypted, transferId }: LiveLinkProps) {
  const link = encrypted?.url ?? shareLink(publicUrl(), token);
  return (
    <Surface as="section" padding="lg" aria-labelledby="live-link">
      <h2 id="live-link" className="text-xl">
        <Trans>Your link works already</Trans>
      </h2>
      <p className="mt-1 text-ink-soft">
        <Trans>
          Recipients can start downloading while your files arrive. Keep this window open until the end.
        </Trans>
      </p>
      {encrypted && (
        <p className="mt-3 flex items-center gap-2 font-medium">
          <KeyRound aria-hidden="true" className="size-5 shrink-0 text-accent-ink" />
          <Trans>Nobody can restore the key in this link. Keep it.</Trans>
        </p>
      )}
      <div className="mt-4 flex flex-wrap items-center gap-3">
        <code className="min-w-48 grow basis-0 rounded-md border border-line bg-press px-3 py-2 font-mono text-sm break-all">
          {link}
        </code>
        <CopyButton
          label={t`Copy link`}
          text={link}
          onCopied={() =>
            toast({ title: t`Link copied!`, description: t`Share link has been copied to clipboard.` })
          }
        />
      </div>
      <Readers transferId={transferId} className="mt-5" />
    </Surface>
  );
}
