import { useCallback } from 'react';
import { useLocation } from 'wouter';
import { PAGES } from '../../../contracts/values/addresses/pages.ts';
import { usePlace } from '../../lib/routing.tsx';
import { DropVeil, useFileDrop } from '../../uploading/files/file-drop.tsx';
import { offerFiles } from '../../uploading/files/offered-files.ts';
import { readDrop } from '../../uploading/files/picked-files.ts';
import { reportUnreadable } from '../../uploading/files/report-unreadable.ts';

/** Takes files that are dropped or pasted on any page of the dashboard to the upload page, which handles its own. */
export function DropAnywhere() {
  const { pathname } = usePlace();
  return pathname === PAGES.upload ? null : <DropTarget />;
}

function DropTarget() {
  const [, navigate] = useLocation();
  const take = useCallback(
    async (transfer: DataTransfer) => {
      try {
        // Must start within the drop event: afterwards the browser discards the dropped items.
        const pick = await readDrop(transfer);
        const { files, unreadable = [] } = pick;
        if (files.length === 0) {
          if (unreadable.length > 0) reportUnreadable(unreadable);
          return;
        }
        offerFiles(pick);
        navigate(PAGES.upload);
      } catch {
        reportUnreadable();
      }
    },
    [navigate],
  );
  return useFileDrop(take) && <DropVeil isRefused={false} />;
}
