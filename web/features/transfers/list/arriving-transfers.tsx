import { plural, t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { useQuery } from '@tanstack/react-query';
import { Radio } from 'lucide-react';
import { listArriving } from '../../../../contracts/transfers/arrival.ts';
import { nameTransfer } from '../../../../contracts/transfers/names.ts';
import { shareLink } from '../../../../contracts/values/addresses/links.ts';
import { transferPage } from '../../../../contracts/values/addresses/pages.ts';
import { formatSize } from '../../../../contracts/values/sizes.ts';
import { queryOf } from '../../../api/endpoint-query.ts';
import { CopyButton } from '../../../components/actions/copy-button.tsx';
import { LinkButton } from '../../../components/actions/link-button.tsx';
import { toast } from '../../../components/feedback/toast.ts';
import { publicUrl } from '../../../lib/browser/public-url.ts';

const POLL_MS = 10_000;

/** Transfers whose link works although files are still arriving; the list below has only complete ones. */
export function ArrivingTransfers() {
  const { data } = useQuery({
    ...queryOf(listArriving),
    refetchOnMount: 'always',
    refetchInterval: ({ state }) => (state.data && state.data.length > 0 ? POLL_MS : false),
  });
  if (!data || data.length === 0) return null;
  return (
    <section
      aria-labelledby="arriving"
      className="mb-6 rounded-lg border border-line-firm bg-surface p-4 sm:p-5"
    >
      <h2 id="arriving" className="flex items-center gap-2 text-base">
        <Radio aria-hidden="true" className="size-5 text-accent-ink" />
        <Trans>Shared while uploading</Trans>
      </h2>
      <ul className="mt-2 divide-y divide-line">
        {data.map(({ id, token, title, firstFileName, fileCount, arrivedFiles, totalSize, isStopped }) => (
          <li key={id} className="flex flex-wrap items-center gap-x-4 gap-y-2 py-3">
            <div className="min-w-48 grow basis-0">
              <p className="truncate font-medium">
                <bdi>{nameTransfer({ title, firstFileName, fileCount })}</bdi>
              </p>
              <p className="tabular text-sm text-ink-soft">
                {plural(fileCount, {
                  one: `${arrivedFiles} of # file complete`,
                  other: `${arrivedFiles} of # files complete`,
                })}{' '}
                · {formatSize(totalSize)}
                {isStopped && ` · ${t`Upload stopped, the link is closed`}`}
              </p>
            </div>
            <div className="flex gap-2">
              <CopyButton
                size="sm"
                label={t`Copy Link`}
                text={shareLink(publicUrl(), token)}
                onCopied={() =>
                  toast({ title: t`Link copied!`, description: t`Share link has been copied to clipboard.` })
                }
              />
              <LinkButton to={transferPage(id)} variant="secondary" size="sm">
                <Trans>View Details</Trans>
              </LinkButton>
            </div>
          </li>
        ))}
      </ul>
    </section>
  );
}
