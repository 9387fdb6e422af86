import { expect, test } from 'vitest';
import { findMessages } from './mail-messages.ts';

const find = (code: string) => findMessages('/server/mail.ts', code).map(({ message }) => message);

test('texts of t() and msg() are found, also in choices and after a wording', () => {
  expect(
    find(`t('One', { a }); wording.t(isNew ? 'Two' : "It's"); const text: string = msg('Four');`),
  ).toEqual(['One', 'Two', "It's", 'Four']);
});

test('constants and other calls are none', () => {
  expect(find(`t(TEXTS[kind]); t(TITLE); format('One'); set('Two');`)).toEqual([]);
});

test('a text that is put together at run time is an error', () => {
  for (const code of ['t(`Hello`)', "t('Hello ' + name)", "t(isNew ? 'Hello' : describe())"])
    expect(() => find(code)).toThrow('/server/mail.ts:1: the text of t() is not a literal.');
});
