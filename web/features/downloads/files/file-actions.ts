import type { TransferFile } from '../../../../contracts/transfers/transfers.ts';
import type { Downloads } from '../download/use-downloads.ts';
import type { ShareAddress } from '../share-address.ts';

/** What can be done with the files of an open transfer, for every line and tile that shows one. */
export type FileActions = {
  share: ShareAddress;
  downloads: Downloads;
  /** Nothing can be downloaded any more: names are no links then. */
  isDisabled: boolean;
  /** Opens what there is to know about a file. */
  onDetails: (file: TransferFile) => void;
  /** Opens the lightbox on these files, by default all of the transfer. */
  onPreview: (file: TransferFile, among?: readonly TransferFile[]) => void;
};
