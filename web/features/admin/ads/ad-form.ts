import { t } from '@lingui/core/macro';
import { errorMessage } from '../../../../contracts/errors.ts';
import {
  AD_DURATION_DEFAULT,
  AD_IMAGE_MAX_BYTES,
  AD_PRIORITY_DEFAULT,
  AD_VIDEO_MAX_BYTES,
  type Ad,
  AdInput,
} from '../../../../contracts/plans/ads.ts';
import { formatSize } from '../../../../contracts/values/sizes.ts';
import { checkWith } from '../../../api/forms/contract-form.ts';
import { translateSentence } from '../../../lib/language/sentences.ts';
import { readLocalInstant, writeLocalInstant } from '../form-values.ts';

/** An ad's fields as typed. */
export type AdForm = {
  type: 'image' | 'video';
  title: string;
  url: string;
  videoType: string;
  duration: string;
  priority: string;
  startDate: string;
  endDate: string;
  isActive: boolean;
  /** undefined keeps the ad's current file. */
  file: File | undefined;
};

export const ACCEPTED = {
  image: 'image/jpeg,image/png,image/webp,image/avif,image/gif',
  video: 'video/mp4,video/webm',
};
export const VIDEO_TYPES = ['video/mp4', 'video/webm'];

export function toAdForm(ad: Ad | undefined): AdForm {
  return {
    type: ad?.type ?? 'image',
    title: ad?.title ?? '',
    url: ad?.linkUrl ?? '',
    videoType: ad?.videoType ?? '',
    duration: String(ad?.duration ?? AD_DURATION_DEFAULT),
    priority: String(ad?.priority ?? AD_PRIORITY_DEFAULT),
    startDate: writeLocalInstant(ad?.startDate ?? null),
    endDate: writeLocalInstant(ad?.endDate ?? null),
    isActive: ad?.isActive ?? true,
    file: undefined,
  };
}

function toFields({ file, ...form }: AdForm): Record<string, string> {
  return {
    type: form.type,
    title: form.title.trim(),
    url: form.url.trim(),
    videoType: form.type === 'video' ? form.videoType : '',
    duration: form.duration.trim(),
    priority: form.priority.trim(),
    startDate: readLocalInstant(form.startDate) ?? '',
    endDate: readLocalInstant(form.endDate) ?? '',
    isActive: String(form.isActive),
  };
}

/** The fields must precede the file: the server needs them to parse it. */
export function toFormData(form: AdForm): FormData {
  const data = new FormData();
  for (const [name, value] of Object.entries(toFields(form))) data.append(name, value);
  if (form.file) data.append('file', form.file);
  return data;
}

/** Returns one message per invalid field. `ad` is undefined for a new ad. */
export function checkAd(ad: Ad | undefined) {
  return checkWith<AdForm>(AdInput, toFields, (form) => findMore(form, ad));
}

function findMore(form: AdForm, ad: Ad | undefined): Partial<Record<keyof AdForm, string>> {
  const { file, type, url, startDate, endDate } = form;
  const hasOwnFile = ad?.wasabiKey && ad.type === type;
  const isReversed = startDate && endDate && startDate >= endDate;
  const wrongFile = file && findFileRefusal(file, type);
  return {
    ...(!file && !hasOwnFile && !url.trim() && { file: translateSentence(errorMessage('ad_needs_content')) }),
    ...(wrongFile && { file: wrongFile }),
    ...(isReversed && { endDate: translateSentence(errorMessage('ad_dates_reversed')) }),
  };
}

/** Client-side pre-check; the server verifies the file type. */
function findFileRefusal(file: File, type: AdForm['type']): string | undefined {
  if (!file.type.startsWith(`${type}/`) || file.type.includes('svg'))
    return type === 'image' ? t`Please select an image file` : t`Please select a video file`;
  const most = type === 'image' ? AD_IMAGE_MAX_BYTES : AD_VIDEO_MAX_BYTES;
  return file.size > most ? t`Please choose a file of at most ${formatSize(most)}` : undefined;
}

type Showing = { word: string; tone: 'accent' | 'neutral' | 'outline' };

export function describeShowing(
  { isActive, isShowing, startDate }: Pick<Ad, 'isActive' | 'isShowing' | 'startDate'>,
  now = Date.now(),
): Showing {
  if (!isActive) return { word: t`Paused`, tone: 'neutral' };
  if (isShowing) return { word: t`Showing`, tone: 'accent' };
  const isToCome = startDate !== null && Date.parse(startDate) > now;
  return { word: isToCome ? t`Scheduled` : t`Ended`, tone: 'outline' };
}
