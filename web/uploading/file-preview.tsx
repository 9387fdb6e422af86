import { useEffect, useState } from 'react';
import { MIB } from '../../contracts/values/sizes.ts';
import { FileIcon } from '../components/file-icon.tsx';
import type { UploadItem } from './upload-item.ts';

/** Larger pictures take too long to decode for a stamp of this size. */
const LARGEST_PREVIEW_BYTES = 40 * MIB;

/** A picture's own thumbnail, for everything else the sign of its kind. */
export function FilePreview({ item: { file, name, mimeType } }: { item: UploadItem }) {
  const [address, setAddress] = useState<string>();
  const picture = file?.type.startsWith('image/') && file.size <= LARGEST_PREVIEW_BYTES ? file : undefined;
  useEffect(() => {
    if (!picture) return;
    const url = URL.createObjectURL(picture);
    setAddress(url);
    return () => {
      setAddress(undefined);
      URL.revokeObjectURL(url);
    };
  }, [picture]);
  return (
    <span className="grid size-10 shrink-0 place-items-center overflow-hidden rounded-sm bg-press">
      {address ? (
        <img
          src={address}
          alt=""
          decoding="async"
          className="size-full object-cover"
          onError={() => setAddress(undefined)}
        />
      ) : (
        <FileIcon fileName={name} mimeType={file?.type ?? mimeType} className="size-5" />
      )}
    </span>
  );
}
