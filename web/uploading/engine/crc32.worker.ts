import { answerRequests } from './answer-requests.ts';
import { readChunk, type Seal } from './read-chunk.ts';

export type ReadRequest = { slice: Blob; seal: Seal | undefined };

answerRequests(({ slice, seal }: ReadRequest) => readChunk(slice, seal));
