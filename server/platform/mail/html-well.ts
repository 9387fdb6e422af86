import { element, FONT } from './html.ts';

/** Widths of the rings around the drop, from far to near, in per cent of the one before. */
const RINGS = [
  { coat: 'ring-far', width: '88%', height: 94 },
  { coat: 'ring', width: '66%', height: 76 },
  { coat: 'ring', width: '52%', height: 56 },
] as const;

/**
 * The head of every mail: a drop that has met the water of a well, its rings spreading, and the product's name.
 * Drawn with borders alone, for pictures would have to be fetched; Outlook, which draws no curves, gets the name.
 */
export function renderWell(): string {
  const drop =
    '<div style="height:14px;font-size:0;line-height:0">&nbsp;</div><div style="width:14px;height:20px;margin:0 auto;background-color:#bdf24e;border-radius:50% / 68% 68% 32% 32%;font-size:0;line-height:0">&nbsp;</div>';
  const rings = RINGS.reduceRight(
    (inner, { coat, width, height }) =>
      element(
        'div',
        {
          coats: [coat],
          css: `width:${width};height:${height}px;margin:0 auto;border:1px solid;border-top:0;border-radius:0 0 50% 50% / 0 0 100% 100%`,
        },
        inner,
      ),
    drop,
  );
  const name = `<div style="padding:10px 0 22px;${FONT};font-size:21px;line-height:1.2;font-weight:600;letter-spacing:-0.02em;color:#f3f1e8">Sendwell</div>`;
  return element(
    'td',
    { coats: ['well'], attributes: 'align="center"', css: 'padding:0;border-radius:23px 23px 0 0' },
    `<!--[if !mso]><!-->${rings}<!--<![endif]-->${name}`,
  );
}
