import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import {
  type Ad,
  createAd,
  deleteAd,
  getAdFileUrl,
  listAds,
  toggleAd,
  updateAd,
} from '../../../../contracts/plans/ads.ts';
import { call } from '../../../api/call.ts';
import { queryClient } from '../../../api/query-client.ts';
import { sendForm } from '../../../api/send-form.ts';
import { useAct } from '../use-act.ts';

export const ADS_KEY = [listAds.path];
const lists = [listAds.path];

/** Upload progress from 0 to 1; null if nothing is being sent. Unmounting aborts the upload. */
export function useUploadProgress() {
  const [sentShare, setSentShare] = useState<number | null>(null);
  const running = useRef<AbortController>(undefined);
  useEffect(() => () => running.current?.abort(), []);
  const start = () => {
    running.current = new AbortController();
    setSentShare(0);
    return { signal: running.current.signal, onProgress: setSentShare };
  };
  return { sentShare, start, stop: () => setSentShare(null) };
}

type Start = ReturnType<typeof useUploadProgress>['start'];

export function useCreateAd(start: Start) {
  return useAct((form: FormData) => sendForm(createAd, form, start()), {
    fallback: 'Failed to create ad',
    onDone: (ad) => changeAds((listed) => [ad, ...listed]),
    done: ({ title, isShowing }) => ({
      title: 'Ad created',
      description: isShowing ? `${title} is shown from now on.` : `${title} is not shown yet.`,
    }),
  });
}

export function useUpdateAd(start: Start) {
  return useAct(
    ({ id, form }: { id: string; form: FormData }) =>
      sendForm(updateAd, form, { params: { id }, ...start() }),
    {
      lists,
      fallback: 'Failed to update ad',
      onDone: (ad) => {
        replaceAd(ad);
        invalidateAdFile(ad.id);
      },
      done: ({ title }) => ({ title: 'Ad updated', description: `${title} is shown as it is now.` }),
    },
  );
}

export function useToggleAd({ id, title }: Ad) {
  return useAct((isActive: boolean) => call(toggleAd, { params: { id }, body: { isActive } }), {
    lists,
    fallback: 'Failed to update ad',
    onDone: replaceAd,
    done: ({ isActive }) => ({
      title: isActive ? 'Ad active' : 'Ad paused',
      description: isActive ? `${title} is shown between its dates.` : `${title} is not shown any more.`,
    }),
  });
}

export function useDeleteAd() {
  return useAct(({ id }: Ad) => call(deleteAd, { params: { id } }), {
    lists,
    onDone: (_nothing, { id }) => changeAds((listed) => listed.filter((each) => each.id !== id)),
    done: (_nothing, { title }) => ({ title: 'Ad deleted', description: `${title} and its file are gone.` }),
  });
}

/** The signed address of an ad's file. */
export function useAdFile(id: string, isEnabled: boolean) {
  return useQuery({
    queryKey: [getAdFileUrl.path, id],
    queryFn: ({ signal }) => call(getAdFileUrl, { params: { id }, signal }),
    enabled: isEnabled,
    // Signed addresses expire.
    gcTime: 0,
  });
}

function invalidateAdFile(id: string): void {
  void queryClient.invalidateQueries({ queryKey: [getAdFileUrl.path, id] });
}

function replaceAd(ad: Ad): void {
  changeAds((listed) => listed.map((each) => (each.id === ad.id ? ad : each)));
}

function changeAds(change: (listed: Ad[]) => Ad[]): void {
  queryClient.setQueryData<Ad[]>(ADS_KEY, (listed) => listed && change(listed));
}
