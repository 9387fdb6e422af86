import type { TransferSettingsInput } from '../../contracts/transfers/uploads/uploads.ts';
import type { CastName } from '../../testing/cast.ts';
import type { PathBytes } from '../../testing/visitors/visitor-uploads.ts';
import { makeBinary, makePdf, makePhoto, makeText } from './files.ts';

export type SampleTransfer = {
  daysAgo: number;
  owner: CastName;
  files: () => Promise<PathBytes[]> | PathBytes[];
  /** Dates are relative: see `opensInDays`. */
  settings: TransferSettingsInput & { title: string; expirationDays: number; password?: string };
  /** From now. */
  opensInDays?: number;
  views?: number;
  downloads?: number;
};

const photos = (folder: string, count: number, seed: number) => () =>
  Promise.all(
    Array.from({ length: count }, (_, index) =>
      makePhoto(`${folder}${String(index + 1).padStart(3, '0')}.jpg`, seed + index),
    ),
  );
const pdf = (name: string, ...lines: string[]) => makePdf(name, [[name.replace('.pdf', ''), ...lines]]);

const website = async (): Promise<PathBytes[]> => [
  ...(await photos('website/images/', 4, 40)()),
  makeText('website/index.html', [
    '<!doctype html>',
    '<title>Harbor Bakery</title>',
    '<h1>Fresh since 1974</h1>',
  ]),
  makeText('website/styles/main.css', ['body { font: 16px/1.5 system-ui; }', 'h1 { color: #234; }']),
  makeText('website/README.md', ['# Harbor Bakery', '', 'Open `index.html`.']),
];
const album = (): PathBytes[] => [
  ...['Tide', 'Low Water', 'Harbor Lights', 'Lee Shore'].map((title, index) =>
    makeBinary(`album/0${index + 1} ${title}.wav`, 1_400_000 + index * 210_000),
  ),
  makeText('album/credits.txt', ['Recorded in Kiel', 'Mixed by Paula Pro']),
];
const accounts = (): PathBytes[] => [
  makeText('2026-q3.csv', [
    'month,income,costs',
    'July,18240,9120',
    'August,17010,8830',
    'September,19975,9480',
  ]),
  pdf('Summary Q3.pdf', 'Income 55,225', 'Costs 27,430', 'Result 27,795'),
];

/** Oldest first. Retention: free 3 days, pro 30, premium 90. */
export const SAMPLE_TRANSFERS: SampleTransfer[] = [
  {
    daysAgo: 34,
    owner: 'prem',
    files: photos('Wedding Lea & Tom/', 14, 1),
    settings: {
      title: 'Wedding Lea & Tom',
      message: 'All pictures of the day. Have fun!',
      expirationDays: 90,
      recipientEmails: ['lea@example.net', 'tom@example.net'],
    },
    views: 38,
    downloads: 21,
  },
  {
    daysAgo: 33,
    owner: 'paula',
    files: album,
    settings: { title: 'Album, final mixes', expirationDays: 30, recipientEmails: ['label@example.com'] },
    views: 9,
    downloads: 4,
  },
  {
    daysAgo: 31,
    owner: 'prem',
    files: website,
    settings: { title: 'Harbor Bakery website', expirationDays: 60 },
    views: 12,
    downloads: 6,
  },
  {
    daysAgo: 29,
    owner: 'ada',
    files: () => [pdf('House rules.pdf', 'Label your food.', 'Close the window.')],
    settings: { title: 'House rules', expirationDays: 90 },
    views: 17,
    downloads: 11,
  },
  {
    daysAgo: 28,
    owner: 'prem',
    files: photos('', 6, 20),
    settings: { title: 'Press pictures', expirationDays: 90 },
    views: 55,
    downloads: 34,
  },
  {
    daysAgo: 26,
    owner: 'paula',
    files: accounts,
    settings: {
      title: 'Accounts Q3',
      password: 'quarter',
      expirationDays: 30,
      recipientEmails: ['tax@example.com'],
    },
    views: 5,
    downloads: 2,
  },
  {
    daysAgo: 24,
    owner: 'paula',
    files: () => [makeBinary('Lecture 04.mp4', 6_500_000)],
    settings: { title: 'Lecture recording', expirationDays: 21 },
    views: 26,
    downloads: 15,
  },
  {
    daysAgo: 22,
    owner: 'prem',
    files: () => [makeBinary('Showreel.mov', 9_000_000)],
    settings: { title: 'Showreel 2026', maxDownloads: 12, expirationDays: 90 },
    views: 20,
    downloads: 12,
  },
  {
    daysAgo: 21,
    owner: 'prem',
    files: photos('Apartment/', 8, 60),
    settings: {
      title: 'Apartment, Kanalstr. 12',
      message: 'Visits on Saturday from 10.',
      expirationDays: 30,
    },
    views: 31,
    downloads: 8,
  },
  {
    daysAgo: 19,
    owner: 'paula',
    files: () => [
      pdf('Contract.pdf', 'Between the two parties below.'),
      pdf('Terms.pdf', 'Payment within 14 days.'),
    ],
    settings: {
      title: 'Contract to sign',
      maxDownloads: 3,
      password: 'signature',
      expirationDays: 30,
      recipientEmails: ['legal@example.com'],
    },
    views: 4,
    downloads: 2,
  },
  {
    daysAgo: 18,
    owner: 'prem',
    files: () => [makeBinary('Poster A2.psd', 4_800_000), pdf('Poster A2.pdf', 'Print at 100 %')],
    settings: { title: 'Poster for print', expirationDays: 45, recipientEmails: ['print@example.com'] },
    views: 6,
    downloads: 3,
  },
  {
    daysAgo: 17,
    owner: 'paula',
    files: photos('Hike/', 10, 80),
    settings: { title: 'Hike on Sunday', expirationDays: 15 },
    views: 14,
    downloads: 9,
  },
  {
    daysAgo: 15,
    owner: 'ada',
    files: () => [
      makeBinary('installer-2.4.1.dmg', 7_200_000),
      makeText('SHA256SUMS', ['see the download page']),
    ],
    settings: { title: 'Installer 2.4.1', expirationDays: 90 },
    views: 48,
    downloads: 41,
  },
  {
    daysAgo: 14,
    owner: 'prem',
    files: () => [
      makeText('data/measurements.csv', [
        'time,value',
        ...Array.from({ length: 400 }, (_, i) => `${i},${(Math.sin(i / 9) * 10).toFixed(3)}`),
      ]),
      makeText('data/README.txt', ['Sensor 7, every minute']),
    ],
    settings: { title: 'Measurements, sensor 7', expirationDays: 90 },
    views: 3,
    downloads: 1,
  },
  {
    daysAgo: 13,
    owner: 'prem',
    files: () => [makeBinary('backup.tar.zst', 12_000_000)],
    settings: {
      title: 'Server backup',
      password: 'restore me',
      autoDeleteAfterDownloads: true,
      maxDownloads: 5,
      expirationDays: 30,
    },
    views: 2,
  },
  {
    daysAgo: 12,
    owner: 'paula',
    files: () => [pdf('Menu.pdf', 'Bread 4.50', 'Coffee 2.80'), makeBinary('Menu.ai', 900_000)],
    settings: { title: 'New menu', expirationDays: 10 },
    views: 8,
    downloads: 5,
  },
  {
    daysAgo: 11,
    owner: 'prem',
    files: photos('Product shots/', 5, 100),
    settings: {
      title: 'Product shots',
      expirationDays: 90,
      recipientEmails: ['shop@example.com', 'agency@example.com'],
    },
    views: 16,
    downloads: 10,
  },
  {
    daysAgo: 9,
    owner: 'paula',
    files: () => [makeText('notes.md', ['# Workshop', '- bring a laptop', '- lunch is at 12'])],
    settings: { title: 'Workshop notes', expirationDays: 30 },
    views: 22,
    downloads: 13,
  },
  {
    daysAgo: 8,
    owner: 'prem',
    files: () => [
      makeBinary('Podcast 31.mp3', 3_600_000),
      makeText('Podcast 31 – show notes.txt', ['Guest: Vera', 'Length: 48 min']),
    ],
    settings: { title: 'Podcast 31', expirationDays: 60 },
    views: 19,
    downloads: 12,
  },
  {
    daysAgo: 7,
    owner: 'frida',
    files: photos('', 2, 120),
    settings: { title: 'Bike for sale', expirationDays: 3 },
    views: 11,
    downloads: 2,
  },
  {
    daysAgo: 7,
    owner: 'ada',
    files: () => [pdf('Minutes.pdf', 'Present: everyone', 'Next meeting: Monday')],
    settings: { title: 'Minutes of the meeting', expirationDays: 30, recipientEmails: ['team@example.com'] },
    views: 9,
    downloads: 7,
  },
  {
    daysAgo: 6,
    owner: 'prem',
    files: () => [makeBinary('scan/page-1.tif', 2_100_000), makeBinary('scan/page-2.tif', 2_150_000)],
    settings: { title: 'Scans of the deed', password: 'deed', expirationDays: 14 },
    views: 3,
    downloads: 1,
  },
  {
    daysAgo: 5,
    owner: 'frida',
    files: () => [makeText('recipe.txt', ['500 g flour', '350 ml water', '10 g salt', 'Bake at 240 °C.'])],
    settings: { title: 'Bread recipe', expirationDays: 2 },
    views: 7,
    downloads: 4,
  },
  {
    daysAgo: 4,
    owner: 'paula',
    files: photos('Team/', 4, 140),
    settings: { title: 'Team pictures', expirationDays: 30 },
    views: 13,
    downloads: 6,
  },
  {
    daysAgo: 3,
    owner: 'prem',
    files: () => [pdf('Offer 2026-118.pdf', 'Valid for 30 days.')],
    settings: {
      title: 'Offer 2026-118',
      maxDownloads: 5,
      expirationDays: 30,
      recipientEmails: ['buyer@example.com'],
    },
    views: 4,
    downloads: 2,
  },
  {
    daysAgo: 2,
    owner: 'prem',
    files: photos('Launch/', 9, 160),
    settings: { title: 'Launch event', message: 'Embargo until the date below.', expirationDays: 30 },
    opensInDays: 4,
  },
  {
    daysAgo: 2,
    owner: 'frida',
    files: () => [pdf('Application.pdf', 'Frida Free', 'References on request')],
    settings: { title: 'Application', expirationDays: 3, recipientEmails: ['jobs@example.com'] },
    views: 3,
    downloads: 1,
  },
  {
    daysAgo: 1,
    owner: 'paula',
    files: () => [makeBinary('Rehearsal.wav', 5_200_000)],
    settings: { title: 'Rehearsal', expirationDays: 7 },
    views: 5,
    downloads: 3,
  },
  {
    daysAgo: 1,
    owner: 'frida',
    files: photos('', 3, 180),
    settings: { title: 'Holiday pictures', message: 'The best three.', expirationDays: 3 },
    views: 6,
    downloads: 2,
  },
  {
    daysAgo: 0.2,
    owner: 'paula',
    files: () => [pdf('Invoice 2026-77.pdf', 'Amount due: 480.00')],
    settings: { title: 'Invoice 2026-77', expirationDays: 14, recipientEmails: ['billing@example.com'] },
    views: 1,
  },
];
