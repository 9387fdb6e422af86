import { Download } from 'lucide-react';
import { Button } from '../button.tsx';
import { type ButtonSize, type ButtonVariant, buttonClasses } from '../button-style.ts';
import type { LightboxItem } from './lightbox-item.ts';

type LightboxDownloadProps = {
  item: LightboxItem;
  onDownload: ((id: string) => void) | undefined;
  variant?: ButtonVariant;
  size?: ButtonSize;
};

/** The way to the original; nothing where there is none. */
export function LightboxDownload({
  item,
  onDownload,
  variant = 'primary',
  size = 'md',
}: LightboxDownloadProps) {
  const icon = <Download aria-hidden="true" />;
  if (onDownload) {
    return (
      <Button variant={variant} size={size} icon={icon} onClick={() => onDownload(item.id)}>
        Download
      </Button>
    );
  }
  if (item.downloadUrl === undefined) return null;
  return (
    <a href={item.downloadUrl} download="" className={buttonClasses(variant, size)}>
      {icon}
      Download
    </a>
  );
}
