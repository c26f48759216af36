// The model and the view in the address of the page, after the #.

/** What the address of a model ends with. @param {string} text @param {string} view */
export function written(text, view) {
  return `#model=${encodeURIComponent(text)}${view && view !== 'motion' ? `&view=${view}` : ''}`;
}

/**
 * What stands after the #, if that is a model.
 * @param {string} hash
 * @returns {{text: string, view: string, broken?: boolean} | null}
 */
export function read(hash) {
  const cut = (/** @type {string} */ part) => {
    const at = part.indexOf('=');
    return /** @type {[string, string]} */ (at < 0 ? [part, ''] : [part.slice(0, at), part.slice(at + 1)]);
  };
  const parts = new Map(hash.slice(1).split('&').map(cut));
  const text = parts.get('model');
  if (text === undefined) return null;
  try {
    return { text: decodeURIComponent(text), view: parts.get('view') || 'motion' };
  } catch {
    return { text: '', view: 'motion', broken: true };
  }
}
