import assert from 'node:assert/strict';
import test from 'node:test';
import { makeBytes } from '../../../testing/uploads/upload-files.ts';
import { sniffContent } from './sniff.ts';

const kindOf = (head: string) => {
  const content = sniffContent(Buffer.from(head, 'latin1'));
  return content && `${content.kind} ${content.mimeType}`;
};
const iso = (major: string, ...others: string[]) =>
  `\0\0\0${String.fromCharCode(16 + 4 * others.length)}ftyp${major}\0\0\0\0${others.join('')}`;

test('pictures, documents, videos and audio are detected by their first bytes', () => {
  const known = {
    '\xff\xd8\xff\xe0': 'image image/jpeg',
    '\x89PNG\r\n\x1a\n': 'image image/png',
    GIF89a: 'image image/gif',
    'RIFF\x10\0\0\0WEBP': 'image image/webp',
    [iso('avif')]: 'image image/avif',
    [iso('mif1', 'miaf', 'avif')]: 'image image/avif',
    [iso('mif1', 'heic')]: 'image image/heic',
    '%PDF-1.7': 'pdf application/pdf',
    [iso('isom', 'mp42')]: 'video video/mp4',
    [iso('qt  ')]: 'video video/quicktime',
    '\x1aE\xdf\xa3\x01\0\0\0\0\0\0\x1fB\x86\x81\x01B\x82\x84webm': 'video video/webm',
    [iso('M4A ', 'isom')]: 'audio audio/mp4',
    'RIFF\x10\0\0\0WAVE': 'audio audio/wav',
    'OggS\0\x02 \x01vorbis': 'audio audio/ogg',
    'OggS\0\x02 \x80theora': 'video video/ogg',
    'fLaC\0': 'audio audio/flac',
    'ID3\x04': 'audio audio/mpeg',
    '\xff\xfb\x90\x64': 'audio audio/mpeg',
  };
  for (const [head, kind] of Object.entries(known)) assert.equal(kindOf(head), kind, JSON.stringify(head));
});

test('everything else is neither rendered nor played', () => {
  const unknown = [
    '',
    '<svg xmlns="http://www.w3.org/2000/svg">',
    '<?xml version="1.0"?><svg>',
    '<!doctype html>',
    'PK\x03\x04',
    'II*\0',
    '\0\0\x01\0',
    'BM',
    '%!PS-Adobe',
    ' %PDF-1.7',
    'RIFF\x10\0\0\0AVI ',
    '\x1aE\xdf\xa3\x01\0\0\0B\x82\x88matroska',
    '\xff\xfe<\0',
    '\xff\xff\xff\xff',
    iso('jxl '),
    iso('crx '),
  ];
  for (const head of unknown) assert.equal(kindOf(head), undefined, JSON.stringify(head));
});

test('detection works for heads of any length and content', () => {
  const heads = [
    '\xff\xd8\xff',
    '%PDF-',
    'RIFF',
    '\0\0\0\x18ftyp',
    '\xff\xff\xff\xffftypisom',
    '\x1aE\xdf\xa3',
    'OggS',
    '\xff',
  ];
  for (const head of heads)
    for (let length = 0; length <= head.length; length += 1) kindOf(head.slice(0, length));
  for (let seed = 0; seed < 200; seed += 1) sniffContent(makeBytes(64, `head ${seed}`));
});
