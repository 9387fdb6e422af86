import { styleText } from 'node:util';
import { SpeedMeter } from '../../client/speed-meter.ts';
import { describeProgress, drawBar, type Progress, percentOf, toOneLine, toSentence } from './words.ts';

export type Trouble = { message: string; nextTryInSeconds: number };

export type Moved = Omit<Progress, 'bytesPerSecond' | 'secondsLeft'>;

/** 'lines': one JSON object per line; 'none': no output. */
export type ScreenStyle = 'bar' | 'plain' | 'lines' | 'none';

const INTERVAL_MS = { bar: 100, plain: 10_000, lines: 1_000, none: 60_000 };
const HIDE_CURSOR = '\u001b[?25l';
const SHOW_CURSOR = '\u001b[?25h';
const CLEAR = '\r\u001b[J';

/** Shows progress. JSON lines go to standard output, everything else to standard error. */
export class Screen {
  readonly #style: ScreenStyle;
  readonly #meter = new SpeedMeter();
  #moved: (() => Moved) | undefined;
  #trouble: (Trouble & { at: number }) | undefined;
  #timer: NodeJS.Timeout | undefined;
  #shownLink = '';
  #drawn = '';
  #rows = 0;

  constructor(style: ScreenStyle) {
    this.#style = style;
  }

  /** Redraws the result of `moved` until `stop`. */
  follow(moved: () => Moved): void {
    this.stop();
    this.#moved = moved;
    if (this.#style === 'bar') process.stderr.write(HIDE_CURSOR);
    this.#timer = setInterval(() => this.#tick(), INTERVAL_MS[this.#style]).unref();
    this.#tick();
  }

  stop(): void {
    if (!this.#moved) return;
    this.#tick();
    clearInterval(this.#timer);
    this.#moved = undefined;
    this.#trouble = undefined;
    this.#drawn = '';
    if (this.#style === 'bar') process.stderr.write(`\n${SHOW_CURSOR}`);
    this.#rows = 0;
  }

  /** Prints a line above the bar. */
  say(text: string): void {
    if (this.#style === 'lines') printLine({ event: 'note', message: text });
    if (this.#style === 'lines' || this.#style === 'none') return;
    this.#erase();
    process.stderr.write(`${text}\n`);
    this.#drawn = '';
    if (this.#moved) this.#tick();
  }

  /** Prints the link of an encrypted transfer in every style, because it has the only copy of the key. */
  showLink(link: string): void {
    if (link === this.#shownLink) return;
    this.#shownLink = link;
    if (this.#style === 'lines') printLine({ event: 'link', link });
    if (this.#style === 'lines') return;
    this.#erase();
    process.stderr.write(`Link: ${link}\nNobody can restore its key. Keep the whole link.\n`);
  }

  /** Prints the link of a transfer whose files are still being sent. */
  showEarlyLink(link: string, { hasKey }: { hasKey: boolean }): void {
    if (link === this.#shownLink) return;
    this.#shownLink = link;
    if (this.#style === 'lines') printLine({ event: 'link', link });
    if (this.#style === 'lines') return;
    this.#erase();
    const warning = hasKey ? 'Nobody can restore its key. Keep the whole link.\n' : '';
    process.stderr.write(
      `Link: ${link}\n${warning}Recipients can receive the files while they are being sent.\n`,
    );
  }

  /** undefined: calls succeed again. */
  showTrouble = (trouble: Trouble | undefined): void => {
    const before = this.#trouble;
    this.#trouble = trouble && { ...trouble, at: performance.now() };
    if (this.#style === 'lines' && trouble) printLine({ event: 'waiting', ...trouble });
    if (this.#style === 'plain' && trouble && trouble.message !== before?.message)
      this.say(`${toSentence(trouble.message)} Retrying…`);
    if (this.#style === 'plain' && !trouble && before) this.say('Continuing.');
    if (this.#style === 'bar') {
      if (this.#moved) this.#tick();
      else if (trouble) this.say(`${toSentence(trouble.message)} Retrying in ${trouble.nextTryInSeconds} s.`);
    }
  };

  #tick(): void {
    const moved = this.#moved?.();
    if (!moved) return;
    this.#meter.record(moved.bytes, performance.now());
    const progress: Progress = {
      ...moved,
      bytesPerSecond: this.#trouble ? undefined : this.#meter.bytesPerSecond,
      secondsLeft: this.#trouble ? undefined : this.#meter.secondsFor(moved.totalBytes - moved.bytes),
    };
    if (this.#style === 'lines') printLine({ event: 'progress', ...progress, percent: percentOf(progress) });
    if (this.#style === 'plain') this.#drawLine(progress);
    if (this.#style === 'bar') this.#drawBar(progress);
  }

  #drawLine(progress: Progress): void {
    const line = `${progress.verb}  ${describeProgress(progress)}`;
    if (line !== this.#drawn) process.stderr.write(`${line}\n`);
    this.#drawn = line;
  }

  #drawBar(progress: Progress): void {
    const { filled, rest } = drawBar(progress.totalBytes > 0 ? progress.bytes / progress.totalBytes : 1);
    const columns = Math.max(20, (process.stderr.columns ?? 80) - 1);
    const words = describeProgress(progress).slice(0, Math.max(0, columns - progress.verb.length - 28));
    const bar = color(this.#trouble ? 'yellow' : 'green', filled) + color('dim', rest);
    const lines = [`${progress.verb}  ${bar}  ${words}`];
    if (this.#trouble) {
      const { message, nextTryInSeconds, at } = this.#trouble;
      const left = Math.max(0, Math.ceil(nextTryInSeconds - (performance.now() - at) / 1_000));
      const text = `${toSentence(toOneLine(message))} Retrying in ${left} s. Press Ctrl-C to stop; you can resume later.`;
      lines.push(color('yellow', text.slice(0, columns)));
    }
    const drawn = lines.join('\n');
    if (drawn === this.#drawn) return;
    this.#erase();
    process.stderr.write(drawn);
    this.#drawn = drawn;
    this.#rows = lines.length;
  }

  #erase(): void {
    if (this.#style !== 'bar' || this.#rows === 0) return;
    process.stderr.write((this.#rows > 1 ? `\u001b[${this.#rows - 1}A` : '') + CLEAR);
    this.#rows = 0;
  }
}

export function printLine(object: unknown): void {
  process.stdout.write(`${JSON.stringify(object)}\n`);
}

type Style = 'green' | 'yellow' | 'red' | 'dim' | 'bold';

/** Plain text if the stream is not a color terminal or NO_COLOR is set. */
export function color(style: Style, text: string, stream: NodeJS.WriteStream = process.stderr): string {
  return text === '' ? '' : styleText(style, text, { stream });
}
