/** Draws markup of our own as a PNG. Never pass foreign markup: it is decoded in this process, outside the sandbox. */
export async function drawSvg(markup: string): Promise<Buffer> {
  // Few servers ever draw one, and the library takes 20 MB of memory.
  const { default: sharp } = await import('sharp');
  sharp.cache(false);
  sharp.concurrency(1);
  return sharp(Buffer.from(markup)).png({ palette: true, effort: 4 }).toBuffer();
}
