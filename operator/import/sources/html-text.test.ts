import assert from 'node:assert/strict';
import test from 'node:test';
import { decodeHtml } from './html-text.ts';

test('text that PHP escaped is decoded once, and other text stays as it is', () => {
  for (const [stored, typed] of [
    ['Jos&eacute; P&eacute;rez &amp; Co.', 'José Pérez & Co.'],
    ['&Lambda;&omicron;&gamma;ά&sigmaf; &Sigma;&Omega;&omega;', 'Λογάς ΣΩω'],
    ['年度 Zaļā', '年度 Zaļā'],
    ['it&#039;s &quot;x&quot; &#x1F600;', 'it\'s "x" 😀'],
    ['one<br />\r\ntwo<br>three', 'one\ntwo\nthree'],
    ['&lt;br /&gt; is a tag', '<br /> is a tag'],
    ['&amp;amp; &unknown; &#0; &#xD800; & ;', '&amp; &unknown; &#0; &#xD800; & ;'],
    ['&euro;&hellip;&yuml;&nbsp;', '€…ÿ\u00a0'],
  ] as const)
    assert.equal(decodeHtml(stored), typed);
});
