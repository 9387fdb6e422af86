import { verifyDownload, viewDownload } from '../../contracts/transfers/downloads/downloads.ts';
import { fileDownloadPath, zipDownloadPath } from '../../contracts/values/addresses/links.ts';
import { Client } from '../../testing/calls/client.ts';

export type Guest = { address: string; userAgent: string; referer: string | undefined };

const ADDRESSES = ['193.99.144.80', '8.8.8.8', '212.27.48.10', '194.109.6.66', '133.242.0.3', '200.160.2.3'];
const AGENTS = [
  'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
  'Mozilla/5.0 (Macintosh; Intel Mac OS X 15_5) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Safari/605.1.15',
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1',
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Safari/537.36',
  'Mozilla/5.0 (iPad; CPU OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1',
];
const REFERERS = [undefined, 'https://mail.example.com/inbox', undefined, 'https://blog.example.org/links'];

/** Returns the same guest for the same number. */
export function pickGuest(number: number): Guest {
  const base = ADDRESSES[number % ADDRESSES.length]!;
  return {
    address: base.replace(/\d+$/, String(1 + ((number * 37) % 250))),
    userAgent: AGENTS[(number * 7) % AGENTS.length]!,
    referer: REFERERS[(number * 3) % REFERERS.length],
  };
}

/** A visitor with an address of their own, sent as X-Forwarded-For, which the seeding server trusts. */
export class GuestClient extends Client {
  readonly #guest: Guest;

  constructor(url: string, guest: Guest) {
    super(url);
    this.#guest = guest;
  }

  override fetch(path: string, init: RequestInit & { duplex?: 'half' } = {}): Promise<Response> {
    const headers = new Headers(init.headers);
    headers.set('x-forwarded-for', this.#guest.address);
    headers.set('user-agent', this.#guest.userAgent);
    if (this.#guest.referer) headers.set('referer', this.#guest.referer);
    return super.fetch(path, { ...init, headers });
  }

  /** Fetches the download page's data, with the password if there is one. */
  async view(token: string, password: string | undefined): Promise<void> {
    if (password) await this.call(verifyDownload, { params: { token }, body: { password } });
    await this.call(viewDownload, { params: { token } });
  }

  /** One file, or all of them as a zip. Throws if it is incomplete. */
  async download(token: string, fileId: string | undefined): Promise<void> {
    const response = await this.fetch(fileId ? fileDownloadPath(token, fileId) : zipDownloadPath(token));
    await response.arrayBuffer();
    if (!response.ok) throw new Error(`The download answered ${response.status}.`);
  }
}
