import assert from 'node:assert/strict';
import test from 'node:test';
import { z } from 'zod';
import { invalidInput } from './invalid-input.ts';

const Input = z.object({
  title: z.string().min(2).max(5),
  days: z.int().min(1).max(90),
  files: z.array(z.string()).min(1).max(3),
  isOpen: z.boolean().optional(),
});
const GOOD = { title: 'Title', days: 3, files: ['a'] };

function refusalOf(change: object) {
  const { message, errors } = invalidInput(Input.safeParse({ ...GOOD, ...change }).error!);
  return { message, errors };
}

test("missing fields and wrong types get the messages 'Required' and 'Expected X, received Y'", () => {
  assert.deepEqual(refusalOf({ title: undefined }), {
    message: 'title: Required',
    errors: { title: 'Required' },
  });
  assert.deepEqual(refusalOf({ days: '3' }).errors, { days: 'Expected number, received string' });
  assert.deepEqual(refusalOf({ isOpen: 'yes', files: {} }).errors, {
    files: 'Expected array, received object',
    isOpen: 'Expected boolean, received string',
  });
});

test('limits are explained in plain words, once per field', () => {
  const cases: [change: object, sentence: string][] = [
    [{ title: 'x'.repeat(6) }, 'Please use at most 5 characters.'],
    [{ title: 'x' }, 'Please use at least 2 characters.'],
    [{ days: 91 }, 'Please enter at most 90.'],
    [{ days: 0 }, 'Please enter at least 1.'],
    [{ files: [] }, 'Please send at least 1 at once.'],
    [{ files: ['a', 'b', 'c', 'd'] }, 'Please send at most 3 at once.'],
  ];
  for (const [change, sentence] of cases) {
    const { message, errors } = refusalOf(change);
    assert.deepEqual([message, Object.values(errors!)], [sentence, [sentence]]);
  }
});
