import { act, render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { Suspense } from 'react';
import { beforeEach, expect, test } from 'vitest';
import { Redirect, Route, Switch, useParams, useSearchParams } from 'wouter';
import { resetPage, server } from '../testing/render-page.tsx';
import { lazy } from './loading/lazy.ts';
import { Link, NavLink, PageRouter, usePlace, withQuery } from './routing.tsx';

const page = globalThis.pageWindow!;
const user = userEvent.setup({ delay: null });
const open = (path: string) => page.setUrl(server.url + path);
beforeEach(resetPage);

function ShownPlace() {
  const { pathname, search, hash, state, type } = usePlace();
  return <output>{JSON.stringify([pathname + search + hash, state, type])}</output>;
}

const shownPlace = () => JSON.parse(screen.getByRole('status').textContent!) as unknown[];

test('the old page stays until the next one is ready, while its link is current at once', async () => {
  const { promise, resolve } = Promise.withResolvers<{ default: () => string }>();
  const Next = lazy(() => promise);
  open('/old');
  render(
    <PageRouter>
      <NavLink to="/next">Next</NavLink>
      <Suspense fallback="Loading">
        <Switch>
          <Route path="/old">Old page</Route>
          <Route path="/next">
            <Next />
          </Route>
        </Switch>
      </Suspense>
      <ShownPlace />
    </PageRouter>,
  );
  const link = screen.getByRole('link');
  await user.click(link);
  expect(location.pathname).toBe('/next');
  expect(link.getAttribute('aria-current')).toBe('page');
  screen.getByText('Old page');
  expect(shownPlace()).toEqual(['/old', null, 'POP']);
  await act(async () => resolve({ default: () => 'Next page' }));
  await screen.findByText('Next page');
  expect(shownPlace()).toEqual(['/next', null, 'PUSH']);
});

test('a link keeps its state, and one to the same address adds no history entry', async () => {
  open('/old');
  render(
    <PageRouter>
      <Link to="?a=1#b" state={{ isFromList: true }}>
        Go
      </Link>
      <ShownPlace />
    </PageRouter>,
  );
  await user.click(screen.getByRole('link'));
  expect(shownPlace()).toEqual(['/old?a=1#b', { isFromList: true }, 'PUSH']);
  const entries = history.length;
  await user.click(screen.getByRole('link'));
  expect(shownPlace()).toEqual(['/old?a=1#b', { isFromList: true }, 'REPLACE']);
  expect(history.length).toBe(entries);
});

test('a redirect on the first render arrives', async () => {
  open('/old');
  render(
    <PageRouter>
      <Switch>
        <Route path="/old">
          <Redirect to="/new" replace />
        </Route>
        <Route path="/new">New page</Route>
      </Switch>
    </PageRouter>,
  );
  await screen.findByText('New page');
});

test('the browser follows links to other documents and windows, and modified clicks', async () => {
  open('/old');
  render(
    <PageRouter>
      <Link to="/terms" reloadDocument>
        Document
      </Link>
      <Link to="/window" target="_blank">
        Window
      </Link>
      <Link to="/tab">Tab</Link>
    </PageRouter>,
  );
  const followed: string[] = [];
  const catchLink = (event: MouseEvent) => {
    if (!event.defaultPrevented) followed.push((event.target as HTMLElement).textContent!);
    event.preventDefault();
  };
  window.addEventListener('click', catchLink);
  await user.click(screen.getByText('Document'));
  await user.click(screen.getByText('Window'));
  await user.keyboard('{Control>}');
  await user.click(screen.getByText('Tab'));
  await user.keyboard('{/Control}');
  window.removeEventListener('click', catchLink);
  expect(followed).toEqual(['Document', 'Window', 'Tab']);
  expect(location.pathname).toBe('/old');
});

test('paths match in any case and with a last slash; the query is decoded once', () => {
  function Found() {
    const { token } = useParams();
    const [params] = useSearchParams();
    return <p>{`${token} ${params.get('search')} ${params.get('next')}`}</p>;
  }
  open('/Download/aB/?search=%2541%20%26&next=%2Fa%3Fb%3Dc%2526d');
  render(
    <PageRouter>
      <Route path="/download/:token">
        <Found />
      </Route>
    </PageRouter>,
  );
  screen.getByText('aB %41 & /a?b=c%26d');
});

test('an empty query leaves no question mark', () => {
  expect(withQuery('/list', '')).toBe('/list');
  expect(withQuery('/list', 'a=1')).toBe('/list?a=1');
  expect(withQuery('/list', '?a=1')).toBe('/list?a=1');
});
