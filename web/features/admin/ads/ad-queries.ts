import { t } from '@lingui/core/macro';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import type { UseFormReturn } from 'react-hook-form';
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
import { addRow, invalidate, queryOf, removeRows, replaceRow } from '../../../api/endpoint-query.ts';
import { sendForm } from '../../../api/forms/send-form.ts';
import { useAction } from '../../../api/use-action.ts';
import type { AdForm } from './ad-form.ts';

const outdated = [listAds];

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

export function useCreateAd(start: Start, form: UseFormReturn<AdForm>) {
  return useAction((data: FormData) => sendForm(createAd, data, start()), {
    form,
    fallback: t`Failed to create ad`,
    onSuccess: (ad) => addRow(listAds, ad),
    success: ({ title, isShowing }) => ({
      title: t`Ad created`,
      description: isShowing ? t`${title} is shown from now on.` : t`${title} is not shown yet.`,
    }),
  });
}

export function useUpdateAd(start: Start, form: UseFormReturn<AdForm>) {
  return useAction(
    ({ id, data }: { id: string; data: FormData }) =>
      sendForm(updateAd, data, { params: { id }, ...start() }),
    {
      form,
      outdated,
      fallback: t`Failed to update ad`,
      onSuccess: (ad) => {
        replaceRow(listAds, ad);
        void invalidate(getAdFileUrl, { params: { id: ad.id } });
      },
      success: ({ title }) => ({ title: t`Ad updated`, description: t`${title} is shown as it is now.` }),
    },
  );
}

export function useToggleAd({ id, title }: Ad) {
  return useAction((isActive: boolean) => call(toggleAd, { params: { id }, body: { isActive } }), {
    outdated,
    fallback: t`Failed to update ad`,
    onSuccess: (ad) => replaceRow(listAds, ad),
    success: ({ isActive }) => ({
      title: isActive ? t`Ad active` : t`Ad paused`,
      description: isActive ? t`${title} is shown between its dates.` : t`${title} is no longer shown.`,
    }),
  });
}

export function useDeleteAd() {
  return useAction(({ id }: Ad) => call(deleteAd, { params: { id } }), {
    outdated,
    onSuccess: (_nothing, { id }) => removeRows(listAds, id),
    success: (_nothing, { title }) => ({
      title: t`Ad deleted`,
      description: t`${title} and its file have been deleted.`,
    }),
  });
}

/** The signed address of an ad's file. */
export function useAdFile(id: string, isEnabled: boolean) {
  return useQuery({
    ...queryOf(getAdFileUrl, { params: { id } }),
    enabled: isEnabled,
    // Signed addresses expire.
    gcTime: 0,
  });
}
