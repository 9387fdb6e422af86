import '../lib/browser/zod-without-eval.ts';
import './theme.ts';
import { t } from '@lingui/core/macro';
import { ApiError, NetworkError } from '../../client/api-error.ts';
import { sharePath } from '../../contracts/values/addresses/links.ts';
import type { Bytes } from '../../encryption/bytes.ts';
import { DamagedSegmentError, UnknownFormatError, WrongKeyError } from '../../encryption/errors.ts';
import { deriveKeys, needsPassword, type TransferKeys } from '../../encryption/keys.ts';
import { encryptedLink } from '../../encryption/link.ts';
import { findSecretText } from '../../encryption/secret-text.ts';
import { loadMessages } from './language/messages.ts';
import { isUnreachable } from './loading/calls.ts';
import { readShareLink, repairedAddress, type ShareLink } from './loading/share-link.ts';
import { type DownloadView, loadView, openTransfer, unlock } from './loading/transfer.ts';
import { cleanUpStaged } from './saving/save-controller.ts';
import { findUnfinished } from './saving/unfinished.ts';
import { drawFrame, type Frame } from './ui/layout.ts';
import {
  checkingView,
  expiredView,
  failedView,
  loadingView,
  scheduledView,
  stoppedView,
  unreadableView,
  unsupportedView,
  type View,
} from './views/closed-views.ts';
import { reportLink } from './views/forms.ts';
import { keyView, passwordView } from './views/key-views.ts';
import { secretView } from './views/secret-view.ts';
import { transferView } from './views/transfer-view.ts';
import { errorSentence } from './views/view-texts.ts';

/** The page that decrypts: from the link to the files, one view at a time. */
class EncryptedPage {
  readonly #frame: Frame;
  #share: ShareLink;
  #view: View | undefined;
  #keys: TransferKeys | undefined;
  #isLoading = false;

  constructor(frame: Frame, share: ShareLink) {
    this.#frame = frame;
    this.#share = share;
  }

  /** Asks the server for the transfer's state and shows it. Does nothing while it already asks. */
  async load(): Promise<void> {
    if (this.#isLoading) return;
    this.#isLoading = true;
    if (!this.#view) this.#show(loadingView());
    try {
      await this.#showState(await loadView(this.#share));
    } catch (error) {
      if (!this.#view?.isWaiting || !isUnreachable(error)) this.#showFailure(error);
    } finally {
      this.#isLoading = false;
    }
  }

  async #showState(view: DownloadView): Promise<void> {
    const { token } = this.#share;
    this.#frame.setFooter(reportLink(token, () => this.#link()));
    if (view.isExpired) return this.#show(expiredView(token, view));
    if (view.isChecking) return this.#show(checkingView(() => void this.load()));
    if (!view.encryption) return window.location.replace(sharePath(token, this.#share.recipientToken));
    if (!this.#share.linkSecret) return this.#askForKey(view, { isWrong: false });
    if (!this.#keys) return this.#findKeys(view);
    if (!view.unlocked) {
      await unlock(this.#share, this.#keys);
      return this.#showState(await loadView(this.#share));
    }
    if (view.isStopped) return this.#show(stoppedView(() => void this.load()));
    if (view.availableAt) return this.#show(scheduledView(view.availableAt, () => void this.load()));
    await this.#open(view, this.#keys);
  }

  async #findKeys(view: DownloadView): Promise<void> {
    const params = view.encryption!;
    if (needsPassword(params))
      return this.#show(passwordView((password) => this.#tryPassword(view, password)));
    try {
      this.#keys = await deriveKeys({ linkSecret: this.#share.linkSecret!, params });
    } catch (error) {
      if (error instanceof WrongKeyError) return this.#askForKey(view, { isWrong: true });
      throw error;
    }
    await this.#showState(view);
  }

  async #tryPassword(view: DownloadView, password: string): Promise<string | undefined> {
    try {
      const { linkSecret } = this.#share;
      this.#keys = await deriveKeys({ linkSecret: linkSecret!, password, params: view.encryption! });
      await this.#showState(view);
      return undefined;
    } catch (error) {
      if (error instanceof WrongKeyError)
        return t`The password is wrong, or the link is not complete. Check both and try again.`;
      this.#keys = undefined;
      if (error instanceof ApiError || error instanceof NetworkError) return errorSentence(error);
      this.#showFailure(error);
      return undefined;
    }
  }

  #askForKey(view: DownloadView, { isWrong }: { isWrong: boolean }): void {
    const onKey = (linkSecret: Bytes) => {
      this.#share = { ...this.#share, linkSecret };
      history.replaceState(null, '', repairedAddress(this.#share));
      void this.#showState(view).catch((error: unknown) => this.#showFailure(error));
    };
    this.#show(keyView({ isWrong, onKey }));
  }

  async #open(view: DownloadView, keys: TransferKeys): Promise<void> {
    const share = { ...this.#share, linkSecret: this.#share.linkSecret! };
    const transfer = await openTransfer(share, view, keys);
    if (findSecretText(transfer.manifest)) return this.#show(secretView({ share, transfer, keys }));
    const reload = async () => {
      const latest = await loadView(share);
      return latest.files && openTransfer(share, latest, keys);
    };
    const onChange = () => void this.load();
    this.#show(transferView({ share, transfer, keys, frame: this.#frame, reload, onChange }));
  }

  #showFailure(error: unknown): void {
    const isUnreadable = error instanceof DamagedSegmentError || error instanceof UnknownFormatError;
    if (!isUnreadable && !(error instanceof ApiError)) console.error(error);
    this.#show(isUnreadable ? unreadableView() : failedView(error, () => void this.load()));
  }

  #show(view: View): void {
    this.#view?.stop?.();
    this.#view = view;
    this.#frame.setBar(null);
    const { main } = this.#frame;
    const hadFocus = main.contains(document.activeElement);
    main.replaceChildren(view.element);
    if (hadFocus) main.focus({ preventScroll: true });
    view.start?.();
    document.title = `${view.title} · Sendwell`;
  }

  #link(): string {
    const { token, recipientToken, linkSecret } = this.#share;
    const { origin } = window.location;
    return linkSecret ? encryptedLink(origin, token, linkSecret, recipientToken) : `${origin}/e/${token}`;
  }
}

async function start(): Promise<void> {
  await loadMessages();
  const frame = drawFrame(document.getElementById('root')!);
  const showOnly = (view: View) => frame.main.replaceChildren(view.element);
  if (!globalThis.crypto?.subtle) return showOnly(unsupportedView());
  const share = readShareLink(window.location);
  if (!share) {
    const missing = new ApiError(404, '');
    return showOnly(failedView(missing, () => undefined));
  }
  if (share.wasExposed) history.replaceState(null, '', repairedAddress(share));
  void cleanUpStaged(findUnfinished()?.stagedName);
  const page = new EncryptedPage(frame, share);
  void page.load();
  // Another link in the same tab, or a key added by hand.
  window.addEventListener('hashchange', () => window.location.reload());
}

document.addEventListener('DOMContentLoaded', () => void start());
