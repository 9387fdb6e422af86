/// <reference lib="webworker" />

/** A request of FileWorker, which expects an answer with the same ticket. */
export type WorkerRequest<Input> = { ticket: number; request: Input };

/** `bytes`: read so far. `failure`: why the file could not be read. */
export type WorkerAnswer<Result> = { ticket: number } & (
  | { bytes: number }
  | { result: Result }
  | { failure: string }
);

/** Answers the requests of FileWorker. `run` may report how many bytes it has read. */
export function answerRequests<Input, Result>(
  run: (request: Input, onProgress: (bytes: number) => void) => Promise<Result>,
): void {
  self.onmessage = async ({ data: { ticket, request } }: MessageEvent<WorkerRequest<Input>>) => {
    const answer = (message: WorkerAnswer<Result>) => self.postMessage(message);
    try {
      answer({ ticket, result: await run(request, (bytes) => answer({ ticket, bytes })) });
    } catch (error) {
      answer({ ticket, failure: error instanceof Error ? error.message : String(error) });
    }
  };
}
