import assert from 'node:assert/strict';
import { test } from 'node:test';
import { removeLinks, removeLinksFromFileName } from './plain-text.ts';

test('addresses with a scheme are removed', () => {
  const links = [
    'https://evil.example/login?x=1',
    'HTTP://evil.example',
    'https://evil',
    'ftp://1.2.3.4/x',
    'https://пример.рф/вход',
    'mailto:rex@evil.example',
    'tel:+4930123456',
    'web+app://evil',
  ];
  for (const link of links) assert.equal(removeLinks(`See ${link} now`), 'See [link removed] now', link);
  assert.equal(removeLinks('(https://evil.example)'), '([link removed]');
  assert.equal(removeLinks('hotel: nice'), 'hotel: nice');
});

test('hosts and email addresses stay readable, with a space before each dot', () => {
  const cases = [
    ['evil.com', 'evil .com'],
    ['www.evil.co.uk/login', 'www .evil .co .uk/login'],
    ['EVIL.COM', 'EVIL .COM'],
    ['rex@evil.com', 'rex@evil .com'],
    ['//evil.com:8080?a=b', '//evil .com:8080?a=b'],
    ['пример.рф', 'пример .рф'],
    ['bücher.example', 'bücher .example'],
    ['evil。com and evil．com', 'evil 。com and evil ．com'],
    ['evil.xn--p1ai', 'evil .xn--p1ai'],
    ['evil.com.pdf', 'evil .com.pdf'],
    ['evil.pdf.com', 'evil.pdf .com'],
    ['evil.pdf-x.com', 'evil .pdf-x .com'],
    ['invoice.zip', 'invoice .zip'],
    ['1.2.3.4/login', '1.2.3 .4/login'],
    // Removed characters must not hide a host.
    ['evil\u202e.com', 'evil .com'],
    ['evil.\u200fcom', 'evil .com'],
    ['ht\u202etps://evil', '[link removed]'],
  ];
  for (const [text, safe] of cases) assert.equal(removeLinks(text!), safe);
});

test('text without links stays as it is', () => {
  const texts = [
    'Hi Rex,\n\nhere is the final set. Please tell me by 12.5.2026, 9.30 p.m., e.g. by phone.',
    'plan.pdf, photo.JPG, list.xlsx, page.html and song.mp3',
    'Version 1.2.3 costs 3.50 € (approx. 4.2GB).',
    '今日は。明日は',
    'and/or a::b c:/d',
  ];
  for (const text of texts) assert.equal(removeLinks(text), text);
});

test('a file name keeps its file type', () => {
  assert.equal(removeLinksFromFileName('Photos/holiday.zip'), 'Photos/holiday.zip');
  assert.equal(removeLinksFromFileName('evil.com.zip'), 'evil .com.zip');
  assert.equal(removeLinksFromFileName('evil.com'), 'evil .com');
  assert.equal(removeLinksFromFileName('clip.mov'), 'clip.mov');
});
