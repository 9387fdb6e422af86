import assert from 'node:assert/strict';
import fc from 'fast-check';
import { test } from 'vitest';
import { formatHost, pickAd } from './ad-turns.ts';

const chances = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
const lists = fc
  .array(fc.integer({ min: 1, max: 10 }), { minLength: 1, maxLength: 20 })
  .map((priorities) => priorities.map((priority, index) => ({ id: `ad ${index}`, priority })));

test('Never picks the same ad twice in a row if there are others, and always one of the list', () => {
  fc.assert(
    fc.property(lists, fc.nat(), chances, (ads, at, chance) => {
      const current = ads[at % ads.length]!;
      const next = pickAd(ads, current.id, chance)!;
      assert.ok(ads.includes(next));
      assert.equal(next === current, ads.length === 1);
    }),
  );
});

test('Picks each of the other ads as often as its priority says', () => {
  fc.assert(
    fc.property(lists, fc.nat(), (ads, at) => {
      const current = ads.length === 1 ? undefined : ads[at % ads.length]!;
      const others = ads.filter((ad) => ad !== current);
      const total = others.reduce((sum, { priority }) => sum + priority, 0);
      // All chances there are, evenly: one for each unit of priority.
      const picks = Array.from(
        { length: total },
        (_, unit) => pickAd(ads, current?.id, (unit + 0.5) / total)!,
      );
      for (const ad of others) assert.equal(picks.filter((each) => each === ad).length, ad.priority);
    }),
  );
});

test('after a removed ad any ad may follow, and none if there are no ads', () => {
  const ads = [{ id: 'a', priority: 1 }];
  assert.equal(pickAd(ads, 'gone', 0.5), ads[0]);
  assert.equal(pickAd(ads, undefined, 0), ads[0]);
  assert.equal(pickAd([], 'gone', 0.5), undefined);
});

test('a URL is shown as its host', () => {
  assert.equal(formatHost('https://www.harbour.example/tours?x=1'), 'harbour.example');
  assert.equal(formatHost('nonsense'), undefined);
  assert.equal(formatHost(null), undefined);
});
