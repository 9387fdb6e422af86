import type { TransferFile } from '../../../contracts/transfers/transfers.ts';
import { formatSize } from '../../../contracts/values/sizes.ts';
import { toast } from '../../components/toast.ts';
import { UploadEngine } from '../../uploading/upload-engine.ts';
import { createItem } from '../../uploading/upload-item.ts';
import { createRepairTransport } from '../../uploading/upload-transport.ts';

/** Repairs under way, by file. They outlive the row that shows them, which a long list drops when it scrolls. */
const engines = new Map<string, UploadEngine>();

/** The upload that replaces a damaged file's bytes. */
export function repairEngineOf(transferId: string, fileId: string): UploadEngine {
  const known = engines.get(fileId);
  if (known) return known;
  const engine = new UploadEngine(createRepairTransport({ transferId, fileId }), { joins: transferId });
  engines.set(fileId, engine);
  return engine;
}

/** Sends the selected file in place of the damaged one, and says what came of it. */
export async function repairFile(transferId: string, file: TransferFile, selected: File): Promise<void> {
  if (selected.size !== file.size) {
    toast({
      title: 'This is not the original file',
      description: `“${selected.name}” has ${describeBytes(selected.size)}, the original ${describeBytes(file.size)}.`,
      variant: 'destructive',
    });
    return;
  }
  const engine = repairEngineOf(transferId, file.id);
  engine.reset();
  engine.add([createItem({ file: selected, relativePath: selected.name })]);
  await engine.start({});
  const { phase, error, refusal } = engine.state;
  if (phase === 'failed') {
    engine.reset();
    toast({
      title: 'The file was not repaired',
      description: refusal?.detail ?? error ?? '',
      variant: 'destructive',
    });
    return;
  }
  if (phase === 'success')
    toast({
      title: 'File received',
      description: 'It is available again as soon as the server has checked it.',
    });
}

/** To the byte where the rounded sizes would look alike. */
function describeBytes(bytes: number): string {
  return `${formatSize(bytes)} (${bytes.toLocaleString('en')} bytes)`;
}
