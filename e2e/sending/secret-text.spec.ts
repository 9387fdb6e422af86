import { listTransfers } from '../../contracts/transfers/transfers.ts';
import { PAGES } from '../../contracts/values/addresses/pages.ts';
import { expectAccessible } from '../actions/accessibility.ts';
import { expect, test } from '../actions/fixtures.ts';

const TEXT = 'Router: admin\nPassword: correct horse 🦊';

test('a secret text is shown once, only when the recipient asks for it', async ({
  member,
  memberPage: page,
  visitorPage: visitor,
}) => {
  await page.goto(PAGES.upload);
  await page.getByRole('link', { name: 'Secret text' }).click();
  await expect(page).toHaveURL(PAGES.secretText);
  await expectAccessible(page, 'the form of a secret text');
  await page.getByRole('button', { name: 'Create link' }).click();
  await expect(page.getByText('Please enter a text.')).toBeVisible();
  await page.getByLabel('Text', { exact: true }).fill(TEXT);
  await page.getByLabel(/^Title/).fill('Wi-Fi');
  await page.getByRole('button', { name: 'Create link' }).click();
  await expect(page.getByText('The text can be opened once. It expires in 7 days.')).toBeVisible();
  await expectAccessible(page, 'the link of a secret text');
  const link = await page.getByRole('textbox', { name: 'Share link' }).inputValue();
  const countOpened = async () => (await member.client.call(listTransfers))[0]?.downloadCount;

  await visitor.goto(link);
  await expect(visitor.getByRole('heading', { level: 1, name: 'Wi-Fi' })).toBeVisible();
  await expect(visitor.getByText(/can be shown only once/)).toBeVisible();
  await expectAccessible(visitor, 'a secret text before it is shown');
  expect(await countOpened()).toBe(0);
  await visitor.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await visitor.getByRole('button', { name: 'Show the text' }).click();
  const shown = visitor.getByLabel('Secret text');
  await expect(shown).toHaveText(TEXT);
  await expectAccessible(visitor, 'a secret text');
  await visitor.getByRole('button', { name: 'Copy' }).click();
  await expect(visitor.getByText('Copied!')).toBeVisible();
  expect(await visitor.evaluate('navigator.clipboard.readText()')).toBe(TEXT);
  await visitor.getByRole('button', { name: 'Hide' }).click();
  await expect(visitor.locator('body')).not.toContainText('correct horse');
  await visitor.getByRole('button', { name: 'Show again' }).click();
  await expect(shown).toHaveText(TEXT);
  expect(await countOpened()).toBe(1);

  await visitor.reload();
  await expect(visitor.getByRole('heading', { level: 1, name: 'Already opened' })).toBeVisible();
  await expectAccessible(visitor, 'a secret text that was opened');
  await page.goto(PAGES.dashboard);
  await expect(page.getByText('Wi-Fi')).toBeVisible();
});

test('of two visitors who have the page open, the second sees that the text was opened', {
  tag: '@all',
}, async ({ browser, memberPage: page, server, visitorPage: visitor }) => {
  await page.goto(PAGES.secretText);
  await page.getByLabel('Text', { exact: true }).fill(TEXT);
  await page.getByRole('button', { name: 'Create link' }).click();
  const link = await page.getByRole('textbox', { name: 'Share link' }).inputValue();
  const context = await browser.newContext({ baseURL: server.url });
  const other = await context.newPage();
  for (const each of [visitor, other]) {
    await each.goto(link);
    await expect(each.getByRole('button', { name: 'Show the text' })).toBeVisible();
  }
  await visitor.getByRole('button', { name: 'Show the text' }).click();
  await expect(visitor.getByLabel('Secret text')).toHaveText(TEXT);
  await other.getByRole('button', { name: 'Show the text' }).click();
  await expect(other.getByRole('heading', { level: 1, name: 'Already opened' })).toBeVisible();
  await context.close();
});
