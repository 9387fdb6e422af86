// Zod tries to compile its checks with `new Function`, which our content security policy blocks and reports. main.tsx
// imports this first, because Zod tries as soon as a schema is defined. It sets Zod's global configuration directly,
// because importing Zod here would load it on every page.
(globalThis as { __zod_globalConfig?: object }).__zod_globalConfig = { jitless: true };

export {};
