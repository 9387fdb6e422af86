import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { useQuery } from '@tanstack/react-query';
import { Megaphone, Plus } from 'lucide-react';
import { useEffect, useState } from 'react';
import { useSearchParams } from 'wouter';
import { type Ad, listAds } from '../../../../contracts/plans/ads.ts';
import { queryOf } from '../../../api/endpoint-query.ts';
import { Button } from '../../../components/actions/button.tsx';
import { ConfirmDialog } from '../../../components/dialogs/confirm-dialog.tsx';
import { Dialog } from '../../../components/dialogs/dialog.tsx';
import { EmptyState } from '../../../components/feedback/empty-state.tsx';
import { Spinner } from '../../../components/feedback/spinner.tsx';
import { toast } from '../../../components/feedback/toast.ts';
import { AdminPage, Failure, LoadingRows } from '../admin-page.tsx';
import { useLast } from '../use-last.ts';
import { AdDialog, type OpenAdForm } from './ad-dialog.tsx';
import { useAdFile, useDeleteAd } from './ad-queries.ts';
import { AdsTable } from './ads-table.tsx';

export function AdminAdsPage() {
  const [form, setForm] = useState<OpenAdForm | null>(null);
  const [previewed, setPreviewed] = useState<Ad | null>(null);
  const [toDelete, setToDelete] = useState<Ad | null>(null);
  const { data, error, isFetching, refetch } = useQuery({
    ...queryOf(listAds),
    refetchOnMount: 'always',
  });
  useEditAddress(data, setForm);
  const create = (
    <Button icon={<Plus aria-hidden="true" />} onClick={() => setForm({})}>
      <Trans>Create Ad</Trans>
    </Button>
  );
  return (
    <AdminPage title={t`Ads`} action={data && data.length > 0 && create}>
      {!data &&
        (error && !isFetching ? (
          <Failure title={t`The ads couldn't be loaded`} error={error} onRetry={() => void refetch()} />
        ) : (
          <LoadingRows />
        ))}
      {data?.length === 0 && (
        <EmptyState
          icon={<Megaphone />}
          title={t`No ads yet`}
          description={t`Ads are shown to free users above their transfers.`}
          action={create}
        />
      )}
      {data && data.length > 0 && (
        <AdsTable
          ads={data}
          onEdit={(ad) => setForm({ ad })}
          onPreview={setPreviewed}
          onDelete={setToDelete}
        />
      )}
      <AdDialog form={form} onClose={() => setForm(null)} />
      <AdPreview ad={previewed} onClose={() => setPreviewed(null)} />
      <Deletion ad={toDelete} onClose={() => setToDelete(null)} />
    </AdminPage>
  );
}

/** `?edit=<id>` opens an ad's form. */
function useEditAddress(ads: Ad[] | undefined, onOpen: (form: OpenAdForm) => void): void {
  const [params, setParams] = useSearchParams();
  const id = params.get('edit');
  useEffect(() => {
    if (id === null || !ads) return;
    const ad = ads.find((each) => each.id === id);
    if (ad) onOpen({ ad });
    else toast({ title: t`Error`, description: t`No ad selected for editing`, variant: 'destructive' });
    setParams({}, { replace: true });
  }, [id, ads, onOpen, setParams]);
}

function Deletion({ ad, onClose }: { ad: Ad | null; onClose: () => void }) {
  const { mutate, isPending } = useDeleteAd();
  const shown = useLast(ad ?? undefined);
  if (!shown) return null;
  return (
    <ConfirmDialog
      title={t`Delete this ad?`}
      description={
        <Trans>
          <strong className="font-medium wrap-anywhere text-ink">{shown.title}</strong> will be deleted with
          its file and statistics. This cannot be undone.
        </Trans>
      }
      confirmLabel={t`Delete ad`}
      isDestructive
      isOpen={ad !== null}
      onOpenChange={onClose}
      isBusy={isPending}
      onConfirm={() => mutate(shown, { onSettled: onClose })}
    />
  );
}

function AdPreview({ ad, onClose }: { ad: Ad | null; onClose: () => void }) {
  const shown = useLast(ad ?? undefined);
  if (!shown) return null;
  return (
    <Dialog isOpen={ad !== null} onOpenChange={onClose} size="lg" title={shown.title}>
      <AdMedia ad={shown} />
      {shown.linkUrl && (
        <p className="mt-4 text-sm text-ink-soft">
          <Trans>
            A click opens{' '}
            <a href={shown.linkUrl} target="_blank" rel="noreferrer noopener" className="link wrap-anywhere">
              {shown.linkUrl}
              <span className="sr-only"> (opens in a new tab)</span>
            </a>
          </Trans>
        </p>
      )}
    </Dialog>
  );
}

/** Mounted only while the dialog is open, so its state starts fresh. */
function AdMedia({ ad: { id, type, title, url, wasabiKey } }: { ad: Ad }) {
  const [hasFailed, setFailed] = useState(false);
  const { data, isError } = useAdFile(id, wasabiKey !== null);
  // Like the banner, show the link URL for an ad without a file.
  const source = data?.url ?? (wasabiKey === null || isError ? (url ?? undefined) : undefined);
  const isBroken = hasFailed || (isError && !url);
  useEffect(() => {
    if (isBroken)
      toast({ title: t`Error`, description: t`Failed to open ad preview`, variant: 'destructive' });
  }, [isBroken]);
  const media = {
    src: source,
    className: 'size-full object-contain',
    onError: () => setFailed(true),
  };
  return (
    <div className="grid aspect-video place-items-center overflow-hidden rounded-md border border-line bg-sunken text-ink-soft">
      {isBroken && (
        <p className="px-6 text-center">
          <Trans>The {type} could not be shown.</Trans>
        </p>
      )}
      {!isBroken && !source && <Spinner className="size-8" />}
      {!isBroken && source && type === 'image' && <img {...media} alt={title} />}
      {!isBroken && source && type === 'video' && (
        <video {...media} aria-label={title} controls playsInline muted autoPlay />
      )}
    </div>
  );
}
