import { t } from '@lingui/core/macro';
import { toast } from '../../components/feedback/toast.ts';

const SHOWN = 3;

/** For selected, dropped or pasted files that the browser cannot open. Names the paths if they are known. */
export function reportUnreadable(paths: string[] = []): void {
  toast({
    title: t`These files could not be read`,
    description:
      paths.length > 0
        ? listPaths(paths)
        : t`Your browser couldn't open this location. Please choose individual files instead.`,
    variant: 'destructive',
  });
}

function listPaths(paths: string[]): string {
  const names = paths.slice(0, SHOWN).join(', ');
  const more = paths.length - SHOWN;
  return more > 0 ? t`${names} and ${more} more` : names;
}
