/** Where the gate's processes share compiled code: without it, each start strips and compiles all types again. */
export function inheritCompileCache(): { NODE_COMPILE_CACHE?: string } {
  const { NODE_COMPILE_CACHE } = process.env;
  return NODE_COMPILE_CACHE ? { NODE_COMPILE_CACHE } : {};
}
