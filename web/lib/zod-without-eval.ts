import { config } from 'zod';

// Zod would try to compile its checks with `new Function`, which our content security policy refuses and
// reports. Imported first by main.tsx, because the attempt is made as soon as a schema is defined.
config({ jitless: true });
