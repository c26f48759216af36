// Records without a row of names: numbers from the first line on.

/** A number, with a point or a comma, or a date with or without a time of day. */
const VALUE = /^"?\s*(?:[-+−]?(?:\d+[.,]?\d*|[.,]\d+)(?:e[-+]?\d+)?|\d{1,4}[-./]\d{1,2}[-./]\d{1,4}(?:[T ]\d{1,2}:\d{2}(?::\d{2}(?:[.,]\d+)?)?(?:Z|[-+]\d{2}:?\d{2})?)?)\s*"?$/i;

/** The file as text, unpacked where gzip has compressed it. @param {Blob} file @param {Uint8Array} head */
function unpacked(file, head) {
  return head[0] === 0x1f && head[1] === 0x8b ? file.stream().pipeThrough(new DecompressionStream('gzip')) : file.stream();
}

/** The first line that holds anything. @param {Blob} file @param {Uint8Array} head */
async function firstLine(file, head) {
  const reader = unpacked(file, head).pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  while (text.length < 1 << 16 && !/\S[^\n]*\n/.test(text)) {
    const { done, value } = await reader.read();
    if (done) break;
    text += value;
  }
  await reader.cancel();
  return text.split(/\r?\n/).find((line) => line.trim() !== '') ?? '';
}

/**
 * Names for the columns of a record whose first line holds values already, with what parts them; null for any other record.
 * @param {Blob} file @param {Uint8Array} head its first bytes
 * @returns {Promise<{names: string[], separator: string} | null>}
 */
export async function unnamed(file, head) {
  // Wide characters, and tables in Parquet, which has its names.
  if ((head[0] === 0xff && head[1] === 0xfe) || (head[0] === 0xfe && head[1] === 0xff) || (head[0] === 0x50 && head[1] === 0x41)) return null;
  const line = await firstLine(file, head);
  const parted = ['\t', ';', ',', '|'].map((separator) => ({ separator, fields: line.split(separator) }));
  const whole = parted.filter((p) => p.fields.length > 1 && p.fields.every((f) => VALUE.test(f.trim())));
  const most = whole.reduce((/** @type {typeof parted[0] | null} */ best, p) => (best && best.fields.length >= p.fields.length ? best : p), null);
  return most && { separator: most.separator, names: most.fields.map((_, i) => `column ${i + 1}`) };
}

/**
 * The record with a row of names above it. Nothing of it is copied as long as gzip has not compressed it.
 * @param {File} file @param {Uint8Array} head @param {{names: string[], separator: string}} found
 */
export async function named(file, head, found) {
  const plain = head[0] === 0x1f && head[1] === 0x8b ? await new Response(unpacked(file, head)).blob() : file;
  return new File([`${found.names.join(found.separator)}\n`, plain], file.name.replace(/\.gz$/i, ''));
}
