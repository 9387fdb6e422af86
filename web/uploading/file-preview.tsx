import { useEffect, useState } from 'react';
import { MIB } from '../../contracts/sizes.ts';
import { FileIcon } from '../components/file-icon.tsx';

/** Larger pictures take too long to decode for a stamp of this size. */
const LARGEST_PREVIEW_BYTES = 40 * MIB;

/** A picture's own thumbnail, for everything else the sign of its kind. */
export function FilePreview({ file }: { file: File }) {
  const [address, setAddress] = useState<string>();
  const isPicture = file.type.startsWith('image/') && file.size <= LARGEST_PREVIEW_BYTES;
  useEffect(() => {
    if (!isPicture) return;
    const url = URL.createObjectURL(file);
    setAddress(url);
    return () => {
      setAddress(undefined);
      URL.revokeObjectURL(url);
    };
  }, [file, isPicture]);
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
        <FileIcon fileName={file.name} mimeType={file.type} className="size-5" />
      )}
    </span>
  );
}
