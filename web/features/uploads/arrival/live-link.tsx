import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { shareLink } from '../../../../contracts/values/addresses/links.ts';
import { CopyButton } from '../../../components/actions/copy-button.tsx';
import { toast } from '../../../components/feedback/toast.ts';
import { Surface } from '../../../components/layout/surface.tsx';
import { publicUrl } from '../../../lib/browser/public-url.ts';
import { Readers } from '../../../uploading/readers.tsx';

/** The link of a transfer whose files are still being sent, and how far its recipients are. */
export function LiveLink({ token, transferId }: { token: string; transferId: string }) {
  const link = shareLink(publicUrl(), token);
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
