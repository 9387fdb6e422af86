import { useQuery } from '@tanstack/react-query';
import { Megaphone, Plus } from 'lucide-react';
import { useEffect, useState } from 'react';
import { useSearchParams } from 'react-router';
import { type Ad, listAds } from '../../../contracts/plans/ads.ts';
import { call } from '../../api/call.ts';
import { Button } from '../../components/button.tsx';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { AdDialog, type OpenAdForm } from './ad-dialog.tsx';
import { AdPreview } from './ad-preview.tsx';
import { ADS_KEY, useDeleteAd } from './ad-queries.ts';
import { AdminPage } from './admin-page.tsx';
import { Failure, LoadingRows } from './admin-states.tsx';
import { AdsTable } from './ads-table.tsx';
import { tellRefusal } from './use-act.ts';
import { useLast } from './use-last.ts';

/** Manages the ads that free users see above their transfers. */
export function AdminAdsPage() {
  const [form, setForm] = useState<OpenAdForm | null>(null);
  const [previewed, setPreviewed] = useState<Ad | null>(null);
  const [leaving, setLeaving] = useState<Ad | null>(null);
  const { data, error, isFetching, refetch } = useQuery({
    queryKey: ADS_KEY,
    queryFn: ({ signal }) => call(listAds, { signal }),
    refetchOnMount: 'always',
  });
  useEditAddress(data, setForm);
  const create = (
    <Button icon={<Plus aria-hidden="true" />} onClick={() => setForm({})}>
      Create Ad
    </Button>
  );
  return (
    <AdminPage title="Ads" action={data && data.length > 0 && create}>
      {!data &&
        (error && !isFetching ? (
          <Failure what="The ads" error={error} onRetry={() => void refetch()} />
        ) : (
          <LoadingRows what="ads" />
        ))}
      {data?.length === 0 && (
        <EmptyState
          icon={<Megaphone />}
          title="No ads yet"
          description="Ads are shown to free users above their transfers."
          action={create}
        />
      )}
      {data && data.length > 0 && (
        <AdsTable
          ads={data}
          onEdit={(ad) => setForm({ ad })}
          onPreview={setPreviewed}
          onDelete={setLeaving}
        />
      )}
      <AdDialog form={form} onClose={() => setForm(null)} />
      <AdPreview ad={previewed} onClose={() => setPreviewed(null)} />
      <Deletion ad={leaving} onClose={() => setLeaving(null)} />
    </AdminPage>
  );
}

/** `?edit=…` opens an ad's form, so that others can be sent there. */
function useEditAddress(ads: Ad[] | undefined, onOpen: (form: OpenAdForm) => void): void {
  const [params, setParams] = useSearchParams();
  const id = params.get('edit');
  useEffect(() => {
    if (id === null || !ads) return;
    const ad = ads.find((each) => each.id === id);
    if (ad) onOpen({ ad });
    else tellRefusal(new Error('No ad selected for editing'));
    setParams({}, { replace: true });
  }, [id, ads, onOpen, setParams]);
}

function Deletion({ ad, onClose }: { ad: Ad | null; onClose: () => void }) {
  const { mutate, isPending } = useDeleteAd();
  const shown = useLast(ad ?? undefined);
  if (!shown) return null;
  return (
    <ConfirmDialog
      title="Delete this ad?"
      description={
        <>
          <strong className="font-medium wrap-anywhere text-ink">{shown.title}</strong> will be deleted with
          its file and its numbers. This cannot be undone.
        </>
      }
      confirmLabel="Delete ad"
      isDestructive
      isOpen={ad !== null}
      onOpenChange={onClose}
      isBusy={isPending}
      onConfirm={() => mutate(shown, { onSettled: onClose })}
    />
  );
}
