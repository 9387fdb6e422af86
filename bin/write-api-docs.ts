/** Writes docs/api.md from the contracts. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describeApi, EXAMPLE_URL } from '../server/features/api-docs/document.ts';
import { toMarkdown } from '../server/features/api-docs/markdown.ts';

writeFileSync(join(import.meta.dirname, '../docs/api.md'), toMarkdown(await describeApi(EXAMPLE_URL)));
