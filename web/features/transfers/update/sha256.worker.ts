import { answerRequests } from '../../../uploading/engine/answer-requests.ts';
import { hashBlob } from './hash-blob.ts';

answerRequests(hashBlob);
