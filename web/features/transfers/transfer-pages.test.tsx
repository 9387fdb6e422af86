import { describe, expect, onTestFinished, test } from 'vitest';
import {
  deleteTransfer,
  getTransfer,
  listTransfers,
  resendTransfer,
  restoreTransfer,
} from '../../../contracts/transfers/transfers.ts';
import { PAGES, transferPage } from '../../../contracts/values/addresses/pages.ts';
import { createMember } from '../../../e2e/actions/people.ts';
import { publishFiles } from '../../../testing/uploads/arriving-transfers.ts';
import { sendTransfer } from '../../../testing/uploads/send-transfer.ts';
import {
  answerOnce,
  expectPath,
  expectToast,
  fill,
  holdCall,
  renderAsMember,
  renderPage,
  resetPage,
  screen,
  sentTo,
  server,
  waitFor,
  within,
} from '../../testing/render-page.tsx';
import { refreshTransfer } from './transfer-queries.ts';

// The texts of specification sections 2 and 8 on My Transfers and on the page of one transfer.

const NOTE = [{ fileName: 'note.txt', bytes: Buffer.from('note') }];

describe('My Transfers', () => {
  test('shows three placeholder cards while loading', async () => {
    const release = holdCall(listTransfers);
    await renderAsMember('/dashboard');
    await screen.findByRole('heading', { name: 'My Transfers' });
    await waitFor(() => expect(screen.getAllByTestId('placeholder')).toHaveLength(3));
    const news = screen.getAllByRole('status').map((each) => each.textContent);
    expect(news.join()).toContain('Loading your transfers');
    release();
    await waitFor(() => expect(screen.queryAllByTestId('placeholder')).toHaveLength(0));
  });

  test("empty state 'No transfers yet' with an Upload Files button", async () => {
    const { user } = await renderAsMember('/dashboard');
    await screen.findByRole('heading', { name: 'No transfers yet' });
    screen.getByText('Upload your first files to get started');
    expect(screen.getByRole('link', { name: 'New Upload' }).getAttribute('href')).toBe(PAGES.upload);
    await user.click(within(screen.getByRole('main')).getByRole('link', { name: 'Upload Files' }));
    await expectPath(PAGES.upload);
  });

  test('a card shows title, files with size, badge, recipients, downloads and its buttons', async () => {
    const member = await createMember(server, 'premium');
    const recipientEmails = ['rex@example.org', 'vera@example.org'];
    const { id } = await sendTransfer(member.client, NOTE, {
      title: 'Letter',
      expirationDays: 2,
      recipientEmails,
    });
    const user = renderPage('/dashboard', { as: member });
    const card = await screen.findByRole('article', { name: 'Letter' });
    for (const text of [
      '1 file · 4 B',
      'Expires in 2 days',
      'rex@example.org, vera@example.org',
      '0 downloads',
    ])
      expect(card.textContent).toContain(text);
    within(card).getByRole('button', { name: /^Copy Link/ });
    within(card).getByRole('button', { name: /^Delete/ });
    await user.click(within(card).getByRole('link', { name: /^View Details/ }));
    await expectPath(transferPage(id));
  });

  test("Toast: copy link ('Link copied!')", async () => {
    const { user, token } = await renderNote((_id) => '/dashboard');
    await user.click(await screen.findByRole('button', { name: /^Copy Link/ }));
    await expectToast('Link copied!', 'Share link has been copied to clipboard.');
    expect(await navigator.clipboard.readText()).toContain(`/download/${token}`);
  });

  test('a copied link begins with the public address that the server wrote into the page', async () => {
    const meta = Object.assign(document.createElement('meta'), {
      name: 'public-url',
      content: 'https://files.example.org',
    });
    document.head.append(meta);
    onTestFinished(() => meta.remove());
    const { user, token } = await renderNote((_id) => '/dashboard');
    await user.click(await screen.findByRole('button', { name: /^Copy Link/ }));
    await expectToast('Link copied!', 'Share link has been copied to clipboard.');
    expect(await navigator.clipboard.readText()).toBe(`https://files.example.org/download/${token}`);
  });

  test('Toast: transfer delete success, and Undo', async () => {
    const { user } = await renderNote(() => '/dashboard', { title: 'Letter' });
    await user.click(await screen.findByRole('button', { name: /^Delete/ }));
    await expectToast('Transfer deleted', 'The transfer and all associated files have been deleted.');
    await screen.findByText('No transfers yet');
    await user.click(screen.getByRole('button', { name: 'Undo' }));
    await expectToast('Transfer restored');
    await screen.findByRole('article', { name: 'Letter' });
  });

  test('an undo that comes too late is refused with a sentence', async () => {
    const { user } = await renderNote(() => '/dashboard');
    await user.click(await screen.findByRole('button', { name: /^Delete/ }));
    await expectToast('Transfer deleted');
    answerOnce(restoreTransfer, {
      status: 410,
      body: { status: 410, code: 'undo_too_late', detail: 'This transfer can no longer be restored.' },
    });
    await user.click(screen.getByRole('button', { name: 'Undo' }));
    await expectToast('Error', 'This transfer can no longer be restored.');
  });

  test('a transfer that auto-delete has closed is deleted only after a question', async () => {
    const member = await createMember(server, 'premium');
    await sendTransfer(member.client, NOTE, { maxDownloads: 1, autoDeleteAfterDownloads: true });
    const [open] = await member.client.call(listTransfers);
    answerOnce(listTransfers, { body: [{ ...open, downloadCount: 1, isLimitReached: true }] });
    const user = renderPage('/dashboard', { as: member });
    await user.click(await screen.findByRole('button', { name: /^Delete/ }));
    const question = await screen.findByRole('alertdialog');
    expect(question.textContent).toContain('This cannot be undone.');
    await user.click(within(question).getByRole('button', { name: 'Delete transfer' }));
    await expectToast('Transfer deleted', 'The transfer and all associated files have been deleted.');
    expect(screen.queryByRole('button', { name: 'Undo' })).toBeNull();
  });

  test('the question before several are deleted says that it can be undone', async () => {
    const { user } = await renderNote(() => '/dashboard', { title: 'Letter' });
    await user.click(await screen.findByRole('checkbox', { name: 'Select Letter' }));
    const bar = await screen.findByRole('region', { name: 'Selected transfers' });
    await user.click(within(bar).getByRole('button', { name: 'Delete' }));
    const question = await screen.findByRole('alertdialog', { name: 'Delete 1 transfer?' });
    expect(question.textContent).toContain('You can undo this for 10 seconds.');
    await user.click(within(question).getByRole('button', { name: 'Delete 1 transfer' }));
    await expectToast('Transfer deleted', 'The transfer and all associated files have been deleted.');
  });

  test('recipients and how many of them have downloaded', async () => {
    const recipientEmails = ['rex@example.org', 'vera@example.org'];
    await renderNote(() => '/dashboard', { title: 'Letter', recipientEmails });
    const card = await screen.findByRole('article', { name: 'Letter' });
    expect(card.textContent).toContain('To rex@example.org, vera@example.org');
    expect(card.textContent).toContain('0 of 2 downloaded');
  });

  test("empty state 'Nothing received yet' with a link to Upload Invitations", async () => {
    await renderAsMember('/dashboard?origin=received');
    await screen.findByRole('heading', { name: 'Nothing received yet' });
    within(screen.getByRole('main')).getByRole('link', { name: 'Upload Invitations' });
  });

  test('without Premium, the received transfers say what it offers', async () => {
    renderPage('/dashboard?origin=received', { as: await createMember(server, 'pro') });
    await screen.findByText('With Premium, you can invite others to upload files to you. They appear here.');
    expect(screen.getByRole('link', { name: 'See plans' }).getAttribute('href')).toBe(PAGES.pricing);
  });
});

describe('Transfer detail', () => {
  test('shows everything about a transfer', async () => {
    await renderNote(transferPage, {
      title: 'Letter',
      message: 'For you',
      recipientEmails: ['rex@example.org'],
    });
    await screen.findByRole('heading', { name: 'Letter' });
    screen.getByText(/^Created /);
    screen.getByText('Expires in 90 days');
    const terms = [...document.querySelectorAll('dt')].map((each) => each.textContent);
    for (const label of [/Total size/, /Total downloads/, /File/, /^Expires at/])
      expect(terms.some((term) => label.test(term!))).toBe(true);
    screen.getByText('For you');
    within(screen.getByRole('table')).getByRole('rowheader', { name: /rex@example\.org/ });
    screen.getByRole('button', { name: 'Copy Share Link' });
    expect((await screen.findByRole('list', { name: 'Files' })).textContent).toContain('0 downloads');
    screen.getByRole('heading', { name: 'Download Activity' });
  });

  test('Download Activity: the 10 most recent downloads with date, time and address', async () => {
    const member = await createMember(server, 'premium');
    const { id, token, fileIds } = await sendTransfer(member.client, NOTE, { title: 'Letter' });
    for (let each = 0; each < 12; each += 1)
      await server.anonymous().fetch(`/api/download/${token}/file/${fileIds[0]}`);
    renderPage(transferPage(id), { as: member });
    const list = await screen.findByRole('list', { name: 'Recent downloads' });
    const downloads = within(list).getAllByRole('listitem');
    expect(downloads).toHaveLength(10);
    expect(downloads[0]!.textContent).toContain('127.0.0.1');
    expect(downloads[0]!.textContent).toMatch(/\d{4}, \d{1,2}:\d{2}/);
    screen.getByText('The 10 most recent of 12');
  });

  test('Download Activity names the device and the country of a download', async () => {
    const member = await createMember(server, 'free');
    const { id, token, fileIds } = await sendTransfer(member.client, NOTE, { title: 'Letter' });
    await server.anonymous().fetch(`/api/download/${token}/file/${fileIds[0]}`, {
      headers: { 'user-agent': 'Mozilla/5.0 (Windows NT 10.0; rv:140.0) Gecko/20100101 Firefox/140.0' },
    });
    server.withDatabase((database) =>
      database.prepare("UPDATE downloads SET country = 'DE' WHERE transferId = ?").run(id),
    );
    renderPage(transferPage(id), { as: member });
    const [download] = within(await screen.findByRole('list', { name: 'Recent downloads' })).getAllByRole(
      'listitem',
    );
    within(download!).getByText('Firefox on Windows');
    within(download!).getByText('Germany');
  });

  test('a reason that all emails share is shown once', async () => {
    const member = await createMember(server, 'free');
    const recipientEmails = ['rex@example.org', 'eva@example.org'];
    const { id } = await sendTransfer(member.client, NOTE, { recipientEmails });
    // Without a mail server, each email fails once and is kept; then only this test changes them.
    const readErrors = () =>
      server.withDatabase((database) =>
        database.prepare('SELECT lastError FROM mails WHERE transferId = ?').all(id),
      );
    const kept = { lastError: 'There is no mail server yet.' };
    await waitFor(() => expect(readErrors()).toMatchObject([kept, kept]));
    server.withDatabase((database) =>
      database
        .prepare("UPDATE mails SET state = 'failed', lastError = 'No route to host' WHERE transferId = ?")
        .run(id),
    );
    renderPage(transferPage(id), { as: member });
    await screen.findByText('No route to host');
    expect(screen.getAllByText('No route to host')).toHaveLength(1);
    expect(screen.getAllByText('Failed')).toHaveLength(2);
  });

  test("Toast: copy link ('Link copied!')", async () => {
    const { user, token } = await renderNote(transferPage);
    await user.click(await screen.findByRole('button', { name: 'Copy Share Link' }));
    await expectToast('Link copied!', 'Share link has been copied to clipboard.');
    expect(await navigator.clipboard.readText()).toContain(`/download/${token}`);
  });

  test('Delete leads back to the list, even if the page is refetched meanwhile', async () => {
    const { user, id } = await renderNote(transferPage, { title: 'Letter' });
    const release = holdCall(deleteTransfer);
    await user.click(await screen.findByRole('button', { name: /^Delete/ }));
    answerOnce(getTransfer, { status: 404 });
    await refreshTransfer(id);
    screen.getByRole('heading', { name: 'Letter' });
    release();
    await expectToast('Transfer deleted');
    await expectPath(PAGES.dashboard);
    expect(screen.queryByText('Transfer not found')).toBeNull();
  });

  test('a transfer that is deleted from the list while its page opens leads back to the list', async () => {
    const { user, id } = await renderNote(() => PAGES.dashboard, { title: 'Letter' });
    const release = holdCall(deleteTransfer);
    await user.click(await screen.findByRole('button', { name: /^Delete/ }));
    await user.click(screen.getByRole('link', { name: /^View Details/ }));
    await expectPath(transferPage(id));
    await screen.findByRole('button', { name: 'Copy Share Link' });
    release();
    await expectToast('Transfer deleted');
    await expectPath(PAGES.dashboard);
    await screen.findByText('No transfers yet');
  });

  test('Toast: transfer delete failure', async () => {
    const { user } = await renderNote(transferPage, { title: 'Letter' });
    answerOnce(deleteTransfer, { status: 503 });
    await user.click(await screen.findByRole('button', { name: /^Delete/ }));
    await expectToast('Error', 'Failed to delete transfer.');
    await screen.findByRole('heading', { name: 'Letter' });
  });

  test('a received transfer is downloaded from its page, unless its link is closed', async () => {
    const member = await createMember(server, 'premium');
    const { id } = await sendTransfer(member.client, [{ fileName: 'note.txt', bytes: Buffer.from('note') }]);
    const sent = await member.client.call(getTransfer, { params: { id } });
    const received = { ...sent, receivedFrom: 'vera@example.org' };
    answerOnce(getTransfer, { body: received });
    renderPage(transferPage(id), { as: member });
    await screen.findByRole('link', { name: 'Download' });
    for (const closed of [{ isTakenDown: true }, { scanState: 'checking' }, { isLimitReached: true }]) {
      resetPage();
      answerOnce(getTransfer, { body: { ...received, ...closed } });
      renderPage(transferPage(id), { as: member });
      await screen.findByText('From vera@example.org');
      expect(screen.queryByRole('link', { name: 'Download' })).toBe(null);
    }
  });

  test('a transfer that is still arriving can be edited, except for its expiry', async () => {
    const member = await createMember(server, 'premium');
    const { id } = await publishFiles(member.client, [{ name: 'film.mov', bytes: Buffer.from('film') }], {
      title: 'Rushes',
      recipientEmails: ['rex@example.org'],
    });
    const user = renderPage(transferPage(id), { as: member });
    await screen.findByText('rex@example.org');
    screen.getByText('They get the link by email once everything has arrived.');
    expect(screen.queryByText('Never')).toBe(null);
    for (const name of ['Extend', 'Resend Email']) expect(screen.queryByRole('button', { name })).toBe(null);
    await user.click(screen.getByRole('button', { name: 'Edit' }));
    const dialog = await screen.findByRole('dialog', { name: 'Edit transfer' });
    expect(within(dialog).queryByLabelText('Expires')).toBe(null);
    await fill(user, within(dialog).getByLabelText('Download limit'), '7');
    await user.click(within(dialog).getByRole('button', { name: 'Save changes' }));
    await expectToast('Changes saved');
    const { maxDownloads } = await member.client.call(getTransfer, { params: { id } });
    expect(maxDownloads).toBe(7);
  });
});

describe('resending', () => {
  const recipientEmails = ['rex@example.org', 'vera@example.org'];

  test("Toast: resend to one, from the recipients' table", async () => {
    const { user } = await renderNote(transferPage, { recipientEmails });
    await screen.findByText('vera@example.org');
    const row = screen.getAllByRole('row').find((each) => each.textContent?.includes('vera@example.org'))!;
    expect(row.textContent).toContain('Queued');
    await user.click(within(row).getByRole('button', { name: 'Send again to vera@example.org' }));
    await expectToast('Email sent!');
    expect(await sentTo(resendTransfer)).toEqual([{ recipientEmails: ['vera@example.org'] }]);
  });

  test("Toast: resend failure ('Failed to send email'), with the wait that the server asks for", async () => {
    const { user } = await renderNote(transferPage, { recipientEmails });
    const detail = 'Too many attempts. Please wait 2 minutes and try again.';
    answerOnce(resendTransfer, {
      status: 429,
      headers: { 'retry-after': '120' },
      body: { code: 'too_many_requests', status: 429, detail },
    });
    const dialog = await openResend(user);
    await user.click(within(dialog).getByRole('button', { name: 'Send Email' }));
    await expectToast('Failed to send email', 'Please try again later.');
    expect((await within(dialog).findByRole('alert')).textContent).toContain(detail);
    within(dialog).getByRole('button', { name: /^Send in [12]:\d\d$/ });
  });

  test('Recipients: the send button is disabled while the list is empty', async () => {
    const { user } = await renderNote(transferPage, { recipientEmails });
    const dialog = await openResend(user);
    const send = within(dialog).getByRole<HTMLButtonElement>('button', { name: 'Send Email' });
    expect(send.disabled).toBe(false);
    await user.click(within(dialog).getByRole('checkbox', { name: 'All 2 recipients' }));
    expect(send.disabled).toBe(true);
    const others = within(dialog).getByLabelText('Other addresses');
    await fill(user, others, 'paula@');
    expect(send.disabled).toBe(true);
    await fill(user, others, 'paula@example.org');
    expect(send.disabled).toBe(false);
  });
});

/** Sends a note as somebody new and opens one of its pages. */
async function renderNote(pathOf: (id: string) => string, settings: Parameters<typeof sendTransfer>[2] = {}) {
  const member = await createMember(server, 'premium');
  const { id, token } = await sendTransfer(member.client, NOTE, settings);
  return { member, id, token, user: renderPage(pathOf(id), { as: member }) };
}

async function openResend(user: ReturnType<typeof renderPage>): Promise<HTMLElement> {
  await user.click(await screen.findByRole('button', { name: 'Resend Email' }));
  return screen.findByRole('dialog', { name: 'Resend Email' });
}
