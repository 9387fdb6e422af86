import { cleanup, configure, render, screen, waitFor, within } from '@testing-library/react';
import userEvent, { type UserEvent } from '@testing-library/user-event';
import { expect } from 'vitest';
import type { Endpoint } from '../../contracts/endpoint.ts';
import { createMember, type Member } from '../../e2e/actions/people.ts';
import { queryClient } from '../api/query-client.ts';
import { App } from '../app/app.tsx';
// Loaded here, not within the time limit of the first test.
import '../app/all-pages.tsx';
import { answerIdentity } from '../api/session/step-up.ts';
import { dismissToast } from '../components/feedback/toast.ts';

configure({
  // Generous: only a text that never appears takes this long.
  asyncUtilTimeout: 40_000,
  getElementError: (message) => new Error(`${message}\n\nThe page:\n${readablePage()}`),
});

const page = globalThis.pageWindow!;
let requests: Request[] = [];
let answers: { matches(request: Request): boolean; answer(): Promise<Response | undefined> }[] = [];

page.intercept = async (request) => {
  requests.push(request.clone() as Request);
  const next = answers.findIndex(({ matches }) => matches(request));
  return next < 0 ? undefined : answers.splice(next, 1)[0]!.answer();
};

/** Unmounts the page and forgets the signed-in user. Runs after each test. */
export function resetPage(): void {
  cleanup();
  // The question of a test that failed would cover the pages of all that follow.
  answerIdentity(false);
  dismissToast();
  queryClient.clear();
  page.clearCookies();
  localStorage.clear();
  sessionStorage.clear();
  document.body.replaceChildren();
  requests = [];
  answers = [];
}

/** The built product, shared by all tests, which create their own users. */
export const { server } = page;

/** Opens the application at a path, signed in as a member or anonymous. */
export function renderPage(path: string, { as }: { as?: Member } = {}): UserEvent {
  for (const { name, value } of as?.client.jar.list() ?? []) page.addCookie(name, value);
  page.setUrl(server.url + path);
  // The history still has the address and the state of the test before.
  history.replaceState(null, '', path);
  render(<App />);
  const user = userEvent.setup({ delay: null });
  const { click } = user;
  return Object.assign(user, {
    click: async (element: Element) => {
      await waitFor(() => expect(takesPointer(element)).toBe(true));
      await click(element);
    },
  });
}

/** A dialog that opens over another one takes the pointer one effect later than it can be found. */
function takesPointer(element: Element): boolean {
  const layer = element.closest<HTMLElement>('[style*="pointer-events"]');
  return layer?.style.pointerEvents !== 'none';
}

/** Like `renderPage`, for a new user on this plan. */
export async function renderAsMember(
  path: string,
  tier: Parameters<typeof createMember>[1] = 'premium',
): Promise<{ user: UserEvent; member: Member }> {
  const member = await createMember(server, tier);
  return { member, user: renderPage(path, { as: member }) };
}

/** Replaces the field's text. */
export async function fill(user: UserEvent, field: Element, text: string): Promise<void> {
  await user.clear(field);
  if (text) await user.type(field, text.replace(/[{[]/g, '$&$&'));
}

/** Waits for a toast with this title and, if given, this text. */
export async function expectToast(title: string, text?: string): Promise<void> {
  await waitFor(() => {
    const parts = [...document.querySelectorAll('[data-toast-region] *')].map((each) => each.textContent);
    expect(parts).toContain(title);
    if (text !== undefined) expect(parts).toContain(text);
  });
}

/** Includes search and hash. */
export async function expectPath(path: string): Promise<void> {
  await waitFor(() => expect(location.pathname + location.search + location.hash).toBe(path));
}

type Call = Pick<Endpoint, 'method' | 'path'>;
type Answer = ResponseInit & { body?: string | object };

/** Replaces the server's next response. Only for what a test can't make the server do. */
export function answerOnce(call: Call, answer: Answer): void {
  answers.push({ matches: matcherOf(call), answer: async () => createResponse(answer) });
}

/** Makes the next call fail like a lost network. */
export function cutOnce(call: Call): void {
  const answer = () => Promise.reject(new TypeError('Failed to fetch'));
  answers.push({ matches: matcherOf(call), answer });
}

/** Holds the next call until the returned function is called, then passes it to the server or returns `answer`. */
export function holdCall(call: Call, answer?: Answer): () => void {
  const { promise, resolve } = Promise.withResolvers<Response | undefined>();
  answers.push({ matches: matcherOf(call), answer: () => promise });
  return () => resolve(answer && createResponse(answer));
}

/** The paths of all requests so far, with their queries. */
export function listRequestedPaths(): string[] {
  return requests.map(({ url }) => url.slice(server.url.length));
}

/** The bodies sent to this endpoint. */
export function sentTo(call: Call): Promise<unknown[]> {
  return Promise.all(requests.filter(matcherOf(call)).map((request) => request.clone().json()));
}

function matcherOf({ method, path }: Call): (request: Request) => boolean {
  const pattern = new RegExp(`^${path.replace(/:\w+/g, '[^/]+')}$`);
  return (request) => request.method === method && pattern.test(new URL(request.url).pathname);
}

function createResponse({ body = '', ...init }: Answer): Response {
  const isText = typeof body === 'string';
  const headers = { 'content-type': isText ? 'text/plain' : 'application/problem+json', ...init.headers };
  return new Response(isText ? body : JSON.stringify(body), { ...init, headers });
}

/** The page's text, without the markup that fills most of an error message. */
function readablePage(): string {
  return [...document.body.querySelectorAll('*')]
    .filter((each) => each.children.length === 0 && each.textContent?.trim())
    .map((each) => `<${each.tagName.toLowerCase()}> ${each.textContent}`)
    .slice(0, 120)
    .join('\n');
}

export { screen, waitFor, within };
