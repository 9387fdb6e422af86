/** How something is looked at. */
export type MediaKind = 'image' | 'pdf' | 'video' | 'audio' | 'text';

/** One thing that the lightbox shows. */
export type LightboxItem = {
  id: string;
  name: string;
  kind: MediaKind;
  /** Images and PDFs: a picture; video and audio: the media itself, with Range; text: `text/plain`. */
  previewUrl: string;
  /** A small picture, which stands in while the large one loads. */
  thumbnailUrl?: string | undefined;
  sizeBytes: number;
  /** Where the original is; absent while it may not be downloaded. Not used when `onDownload` is given. */
  downloadUrl?: string | undefined;
};
