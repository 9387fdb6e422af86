import type { Header, PostResponse } from '../../../platform/outgoing/post.ts';
import type { Message } from './message.ts';
import type { MessageTarget } from './target.ts';

/** Composes messages for one service, and explains its answers. */
export type Provider = {
  compose(message: Message, target: MessageTarget): { url: string; headers?: Header[]; body: object };
  /** Names of headers whose values are secret. */
  secretHeaders?: string[];
  /** What an answer other than 2xx means, as a sentence for the owner, marked with `msg`. Undefined if unknown. */
  explain(response: PostResponse): string | undefined;
  /** What the service says about a failure, in its words. */
  findDetail(response: PostResponse): string | undefined;
};

/** The JSON object of an answer. Empty if it is not one. */
export function readJson({ body }: Pick<PostResponse, 'body'>): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(body);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

export function readText(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}
