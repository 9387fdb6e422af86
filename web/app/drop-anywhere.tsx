import { t } from '@lingui/core/macro';
import { useCallback } from 'react';
import { useLocation, useNavigate } from 'react-router';
import { PAGES } from '../../contracts/values/pages.ts';
import { toast } from '../components/feedback/toast.ts';
import { DropVeil, useFileDrop } from '../uploading/files/file-drop.tsx';
import { offerFiles } from '../uploading/files/offered-files.ts';
import { readDrop } from '../uploading/files/picked-files.ts';

/** Takes files that are dropped or pasted on any page of the dashboard to the upload page, which handles its own. */
export function DropAnywhere() {
  const { pathname } = useLocation();
  return pathname === PAGES.upload ? null : <DropTarget />;
}

function DropTarget() {
  const navigate = useNavigate();
  const take = useCallback(
    async (transfer: DataTransfer) => {
      try {
        // Must start within the drop event: afterwards the browser discards the dropped items.
        const pick = await readDrop(transfer);
        if (pick.files.length === 0) return;
        offerFiles(pick);
        void navigate(PAGES.upload);
      } catch {
        toast({
          title: t`These files could not be read`,
          description: t`Your browser couldn't open this location. Please choose individual files instead.`,
          variant: 'destructive',
        });
      }
    },
    [navigate],
  );
  return useFileDrop(take) && <DropVeil isRefused={false} />;
}
