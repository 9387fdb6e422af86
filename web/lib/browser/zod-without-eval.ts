// Zod would try to compile its checks with `new Function`, which our content security policy refuses and
// reports. Imported first by main.tsx, because the attempt is made as soon as a schema is defined; set where
// all copies of zod look for their settings, because importing one here would load it on every page.
(globalThis as { __zod_globalConfig?: object }).__zod_globalConfig = { jitless: true };

export {};
